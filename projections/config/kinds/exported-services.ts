// exported-services: the services of a partition for other partitions (spec: config.md §4.10).
import type { ExportedService, ExportedServices } from '../../../events/config/access.js'
import { ConfigError, decoder } from '../fields/decoder.js'
import { list } from '../fields/containers.js'
import { always, object } from '../fields/object.js'
import { lowerText, text } from '../fields/scalars.js'
import { checkMeta, checkName, meta, nameField, serviceFields, type KindRules } from './kind.js'

const orDefault = decoder(text.schemas, (given, path) => lowerText(given, path) || 'default')

const service = object({
  Name: always(text, ''),
  Namespace: always(orDefault, ''),
  Consumers: always(list(object({ Partition: always(lowerText, '') }), {}), [])
})

const body = object({
  ...nameField,
  Services: always(list(service, {}), []),
  Meta: meta,
  ...serviceFields
})

const checkService = ({ Name, Namespace, Consumers }: ExportedService, path: string): void => {
  if (Name === '') throw new ConfigError(`field "${path}.Name" is required`)
  if (Namespace === '*' && Name !== '*')
    throw new ConfigError(`field "${path}.Name" must be "*" where the namespace is "*"`)
  if (Consumers.length === 0)
    throw new ConfigError(`field "${path}.Consumers" must have at least one consumer`)
  for (const [i, { Partition }] of Consumers.entries()) {
    if (Partition === '') throw new ConfigError(`field "${path}.Consumers[${i}].Partition" is required`)
    if (Partition === '*')
      throw new ConfigError(`field "${path}.Consumers[${i}].Partition" must name one partition, not "*"`)
  }
}

export const exportedServices: KindRules<ExportedServices> = {
  schemas: body.schemas,
  decode: (given, spelling) => ({ Kind: 'exported-services', ...body(given, '', spelling) }),
  validate: ({ Name, Meta, Services }, { partition }, check) => {
    check(() => checkName(Name))
    check(() => {
      if (Name !== '' && Name.toLowerCase() !== partition)
        throw new ConfigError(
          `field "Name" of exported-services must be the partition of the entry, "${partition}", not "${Name}"`
        )
    })
    check(() => checkMeta(Meta))
    for (const [i, one] of Services.entries()) check(() => checkService(one, `Services[${i}]`))
  }
}
