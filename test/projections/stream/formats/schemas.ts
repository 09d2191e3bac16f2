// The schemas of OCSF and ECS in the versions that the server writes.
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { projectRoot } from '../../../support/process.js'

const ajv = new Ajv2020({ strict: false, allErrors: true })
ajv.addFormat('ip', text => isIP(text) > 0)
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)

const schemaOf = (name: string): ValidateFunction =>
  ajv.compile(
    JSON.parse(readFileSync(join(projectRoot, `test/projections/stream/formats/${name}.json`), 'utf8'))
  )

const ocsf = schemaOf('ocsf-1.7.0')
const ecs = schemaOf('ecs-8.17.0')

const faultsOf = (validate: ValidateFunction, record: unknown): string =>
  validate(record) ? '' : ajv.errorsText(validate.errors)

/** Returns what OCSF objects to in a record; empty for nothing. */
export const ocsfFaults = (record: unknown): string => faultsOf(ocsf, record)

/** Returns what ECS objects to in a document, besides the own fields below `Annals`; empty for nothing. */
export const ecsFaults = (record: unknown): string => {
  const { Annals: own, ...rest } = Object(record)
  return typeof own === 'object' ? faultsOf(ecs, rest) : 'Annals is missing'
}
