import type { ExportedService, ExportedServices, Mesh } from '../../../events/config/access.js'
import { list } from '../../../events/config/fields/containers.js'
import { ConfigError, decoder } from '../../../events/config/fields/decoder.js'
import { always, object } from '../../../events/config/fields/object.js'
import { flag, lowerText, text } from '../../../events/config/fields/scalars.js'
import { checkMeta, checkName, entryObject, meta, serviceFields, type KindRules } from './kind.js'

// exported-services: the services of a partition for other partitions (spec: config.md §4.10).

const orDefault = decoder(text.schemas, (given, path) => lowerText(given, path) || 'default')

const exportedService = object({
  Name: always(text, ''),
  Namespace: always(orDefault, ''),
  Consumers: always(list(object({ Partition: always(lowerText, '') }), {}), [])
})

const exportedBody = entryObject({ Services: always(list(exportedService, {}), []) })

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
  schemas: exportedBody.schemas,
  decode: (given, spelling) => ({ Kind: 'exported-services', ...exportedBody(given, '', spelling) }),
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

const transparentProxy = object({ MeshDestinationsOnly: always(flag, false) })

const meshFields = { TransparentProxy: always(transparentProxy, {}) }
const meshBody = entryObject(meshFields)
/** Responses have no name. */
const meshView = object({ ...meshFields, Meta: meta, ...serviceFields })

export const mesh: KindRules<Mesh> = {
  schemas: { ...meshBody.schemas, shown: meshView.schemas.shown },
  decode: (given, spelling) => {
    const { Name, ...rest } = meshBody(given, '', spelling)
    if (Name !== '' && Name !== 'mesh')
      throw new ConfigError(`field "Name" of mesh must be "mesh", not "${Name}"`)
    return { Kind: 'mesh', ...rest }
  },
  validate: ({ Meta }, _tenancy, check) => check(() => checkMeta(Meta))
}
