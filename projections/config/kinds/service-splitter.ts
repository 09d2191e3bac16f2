// service-splitter: the shares of the requests to a service (spec: config.md §4.4).
import type { ServiceSplit, ServiceSplitter } from '../../../events/config/routing.js'
import type { Tenancy } from '../../../events/envelope.js'
import { spaceOf } from '../../row-table.js'
import { ConfigError, decoder } from '../fields/decoder.js'
import { list } from '../fields/containers.js'
import { always, storedIfFilled, object } from '../fields/object.js'
import { decimal, lowerText, text } from '../fields/scalars.js'
import { tenancyNamed } from '../names.js'
import { checkMeta, checkName, meta, nameField, serviceFields, type KindRules } from './kind.js'

const TOTAL_HUNDREDTHS = 10_000

/** A weight in hundredths, rounded half up like 32-bit floats. */
const hundredths = (weight: number): number => Math.floor(Math.fround(Math.fround(weight) * 100) + 0.5)

const weight = decoder(decimal.schemas, (given, path) => hundredths(decimal(given, path)) / 100 + 0)

const split = object({
  Weight: always(weight, 0),
  Service: storedIfFilled(text),
  ServiceSubset: storedIfFilled(text),
  Namespace: storedIfFilled(text),
  Partition: storedIfFilled(lowerText)
})

const body = object({ ...nameField, Splits: always(list(split, {}), []), Meta: meta, ...serviceFields })

const checkSplits = (splits: readonly ServiceSplit[], own: string, tenancy: Tenancy): void => {
  if (splits.length === 0) throw new ConfigError('field "Splits" must have at least one split')
  const seen = new Map<string, number>()
  let sum = 0
  for (const [i, one] of splits.entries()) {
    const { Weight, Service, ServiceSubset } = one
    const target = JSON.stringify([Service ?? own, ServiceSubset ?? '', spaceOf(tenancyNamed(one, tenancy))])
    const before = seen.get(target)
    if (before !== undefined)
      throw new ConfigError(`"Splits[${i}]" has the same service and subset as "Splits[${before}]"`)
    seen.set(target, i)
    sum += Math.round(Weight * 100)
  }
  if (sum !== TOTAL_HUNDREDTHS)
    throw new ConfigError(`the weights of field "Splits" must make 100 together, not ${sum / 100}`)
}

export const serviceSplitter: KindRules<ServiceSplitter> = {
  schemas: body.schemas,
  decode: (given, spelling) => ({ Kind: 'service-splitter', ...body(given, '', spelling) }),
  validate: ({ Name, Meta, Splits }, tenancy, check) => {
    check(() => checkName(Name))
    check(() => checkMeta(Meta))
    check(() => checkSplits(Splits, Name, tenancy))
  }
}
