import {
  type ExportedService,
  type ExportedServices,
  type Mesh,
  exportedBody,
  meshBody,
  meshView
} from '../../../events/config/access.js'
import { ConfigError, decoder } from '../../../events/config/fields/decoder.js'
import { checkMeta, checkName, type KindRules } from './kind.js'

// exported-services: the services of a partition for other partitions (spec: config.md §4.10).

const checkExportedService = ({ Name, Namespace, Consumers }: ExportedService, path: string): void => {
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
  decode: exportedBody,
  validate: ({ Name, Meta, Services }, { partition }, check) => {
    check(() => checkName(Name))
    check(() => {
      if (Name !== '' && Name.toLowerCase() !== partition)
        throw new ConfigError(
          `field "Name" of exported-services must be the partition of the entry, "${partition}", not "${Name}"`
        )
    })
    check(() => checkMeta(Meta))
    for (const [i, one] of Services.entries()) check(() => checkExportedService(one, `Services[${i}]`))
  }
}

// mesh: the settings of the whole mesh (spec: config.md §4.9, decisions.md 12).

export const mesh: KindRules<Mesh> = {
  decode: decoder({ ...meshBody.schemas, shown: meshView.schemas.shown }, (given, path, spelling): Mesh => {
    const { Name, ...content } = meshBody(given, path, spelling)
    if (Name !== '' && Name !== 'mesh')
      throw new ConfigError(`field "Name" of mesh must be "mesh", not "${Name}"`)
    return content
  }),
  validate: ({ Meta }, _tenancy, check) => check(() => checkMeta(Meta))
}
