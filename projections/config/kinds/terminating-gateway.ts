// terminating-gateway: services outside the mesh behind a gateway (spec: config.md §4.8).
import type { LinkedService, TerminatingGateway } from '../../../events/config/access.js'
import type { Tenancy } from '../../../events/envelope.js'
import { spaceOf } from '../../row-table.js'
import { ConfigError } from '../fields/decoder.js'
import { list } from '../fields/containers.js'
import { storedIfFilled, nullable, object } from '../fields/object.js'
import { text } from '../fields/scalars.js'
import { tenancyNamed } from '../names.js'
import {
  checkMeta,
  checkName,
  meta,
  nameField,
  partNamespace,
  partTenancy,
  serviceFields,
  type KindRules
} from './kind.js'

const service = object({
  Name: storedIfFilled(text),
  ...partTenancy,
  CAFile: storedIfFilled(text),
  CertFile: storedIfFilled(text),
  KeyFile: storedIfFilled(text),
  SNI: storedIfFilled(text)
})

const body = object({ ...nameField, Services: nullable(list(service, {})), Meta: meta, ...serviceFields })

const inNamespace = ({ Name, Namespace, ...rest }: LinkedService, tenancy: Tenancy): LinkedService => ({
  ...(Name === undefined ? {} : { Name }),
  ...partNamespace(Namespace, tenancy),
  ...rest
})

const checkService = ({ Name, CAFile, CertFile, KeyFile }: LinkedService, path: string): void => {
  if (Name === undefined) throw new ConfigError(`field "${path}.Name" is required`)
  if ((CertFile || KeyFile) && !(CAFile && CertFile && KeyFile))
    throw new ConfigError(`"${path}" needs CAFile, CertFile and KeyFile together`)
}

export const terminatingGateway: KindRules<TerminatingGateway> = {
  schemas: body.schemas,
  decode: (given, spelling) => ({ Kind: 'terminating-gateway', ...body(given, '', spelling) }),
  normalise: (content, tenancy) => ({
    ...content,
    Services: content.Services && content.Services.map(one => inNamespace(one, tenancy))
  }),
  validate: ({ Name, Meta, Services }, tenancy, check) => {
    check(() => checkName(Name))
    check(() => checkMeta(Meta))
    const seen = new Set<string>()
    for (const [i, one] of (Services ?? []).entries()) {
      check(() => checkService(one, `Services[${i}]`))
      const key = `${spaceOf(tenancyNamed(one, tenancy))}/${one.Name ?? ''}`
      check(() => {
        if (seen.has(key))
          throw new ConfigError(`field "Services" has the service "${one.Name ?? ''}" more than once`)
      })
      seen.add(key)
    }
  }
}
