// mesh: the settings of the whole mesh (spec: config.md §4.9, decisions.md 12).
import type { Mesh } from '../../../events/config/access.js'
import { ConfigError } from '../fields/decoder.js'
import { always, object } from '../fields/object.js'
import { flag } from '../fields/scalars.js'
import { checkMeta, meta, nameField, serviceFields, type KindRules } from './kind.js'

const transparentProxy = object({ MeshDestinationsOnly: always(flag, false) })

const fields = { TransparentProxy: always(transparentProxy, {}), Meta: meta, ...serviceFields }
const body = object({ ...nameField, ...fields })

export const mesh: KindRules<Mesh> = {
  schemas: { ...body.schemas, shown: object(fields).schemas.shown },
  decode: (given, spelling) => {
    const { Name, ...rest } = body(given, '', spelling)
    if (Name !== '' && Name !== 'mesh')
      throw new ConfigError(`field "Name" of mesh must be "mesh", not "${Name}"`)
    return { Kind: 'mesh', ...rest }
  },
  validate: ({ Meta }, _tenancy, check) => check(() => checkMeta(Meta))
}
