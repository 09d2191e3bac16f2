import {
  type IntentionPermission,
  type IntentionSource,
  type PermissionHttp,
  type ServiceIntentions,
  intentionsBody
} from '../../../events/config/access.js'
import { ConfigError, decoder } from '../../../events/config/fields/decoder.js'
import type { Tenancy } from '../../../events/envelope.js'
import { getOrCreate } from '../../maps.js'
import { spaceOf } from '../../row-table.js'
import { tenancyNamed } from '../names.js'
import { checkHeaders, checkMethods, checkPath } from './http-match.js'
import { checkMeta, checkName, partNamespace, type KindRules } from './kind.js'

// service-intentions: the permitted and denied sources of a service (spec: config.md §4.6, tenancy.md §10).

const MAX_DESCRIPTION_BYTES = 512
const ACTIONS: ReadonlySet<string | undefined> = new Set(['allow', 'deny'])

/** The number of exact parts: none for `*` everywhere, one for `*` in a namespace, two for one service. */
const exactness = (name: string, namespace: string): number => (namespace === '*' ? 0 : name === '*' ? 1 : 2)

const precedence = (destination: number, from: number): number => 3 * destination + 3 - (2 - from)

const checkWildcard = (name: string, path: string): void => {
  if (name !== '*' && name.includes('*'))
    throw new ConfigError(`field "${path}" may be "*" as a whole, not have it as a part`)
}

const isEmptyHttp = (http: PermissionHttp): boolean => Object.keys(http).length === 0

const checkPermission = ({ Action, HTTP }: IntentionPermission, path: string): void => {
  if (!ACTIONS.has(Action)) throw new ConfigError(`field "${path}.Action" must be "allow" or "deny"`)
  if (!HTTP) throw new ConfigError(`field "${path}.HTTP" is required`)
  checkPath(HTTP, `${path}.HTTP`)
  checkHeaders(HTTP.Header, `${path}.HTTP`)
  checkMethods(HTTP.Methods, `${path}.HTTP`)
  if (isEmptyHttp(HTTP)) throw new ConfigError(`field "${path}.HTTP" must have at least one condition`)
}

const checkSource = (given: IntentionSource, destination: string, path: string): void => {
  const { Name, Action, Permissions, Type, Description = '' } = given
  if (Name === '') throw new ConfigError(`field "${path}.Name" is required`)
  checkWildcard(Name, `${path}.Name`)
  if (given.Namespace === '*' && Name !== '*')
    throw new ConfigError(`field "${path}.Name" must be "*" where the namespace is "*"`)
  if (Buffer.byteLength(Description) > MAX_DESCRIPTION_BYTES)
    throw new ConfigError(`field "${path}.Description" is longer than ${MAX_DESCRIPTION_BYTES} bytes`)
  if (Permissions) {
    if (Action !== undefined) throw new ConfigError(`"${path}" may have only one of Action and Permissions`)
    if (destination === '*')
      throw new ConfigError(`field "${path}.Permissions" is not allowed for the destination "*"`)
  } else if (!ACTIONS.has(Action)) throw new ConfigError(`field "${path}.Action" must be "allow" or "deny"`)
  if (Type !== 'consul') throw new ConfigError(`field "${path}.Type" must be "consul"`)
  for (const [i, allowed] of (Permissions ?? []).entries())
    checkPermission(allowed, `${path}.Permissions[${i}]`)
}

const checkTwice = (sources: readonly IntentionSource[], tenancy: Tenancy): void => {
  const seen = new Map<string, Set<string>>()
  for (const one of sources) {
    const names = getOrCreate(seen, spaceOf(tenancyNamed(one, tenancy)), () => new Set<string>())
    if (names.has(one.Name))
      throw new ConfigError(`field "Sources" has the source "${one.Name}" more than once`)
    names.add(one.Name)
  }
}

export const serviceIntentions: KindRules<ServiceIntentions> = {
  decode: decoder(intentionsBody.schemas, (given, path, spelling) => {
    const { Sources, ...rest } = intentionsBody(given, path, spelling)
    const shown = Sources.map(({ LegacyMeta, Type = 'consul', Description, ...one }, i): IntentionSource => {
      if (LegacyMeta) throw new ConfigError(`field "Sources[${i}].LegacyMeta" must be empty`)
      return { ...one, Type, ...(Description === undefined ? {} : { Description }) }
    })
    return { ...rest, Sources: shown }
  }),
  normalise: (content, tenancy) => {
    const destination = exactness(content.Name, tenancy.namespace)
    const sources = content.Sources.map(({ Name, Namespace, ...one }): IntentionSource => {
      const place = partNamespace(Namespace, tenancy)
      const from = exactness(Name, place.Namespace ?? tenancy.namespace)
      return { Name, ...place, ...one, Precedence: precedence(destination, from) }
    })
    return { ...content, Sources: sources.toSorted((a, b) => b.Precedence - a.Precedence) }
  },
  validate: ({ Name, Meta, Sources }, tenancy, check) => {
    check(() => checkName(Name))
    check(() => checkWildcard(Name, 'Name'))
    check(() => {
      if (tenancy.namespace === '*' && Name !== '*')
        throw new ConfigError('field "Name" must be "*" where the namespace is "*"')
    })
    check(() => checkMeta(Meta))
    check(() => {
      if (Sources.length === 0) throw new ConfigError('field "Sources" must have at least one source')
    })
    for (const [i, one] of Sources.entries()) check(() => checkSource(one, Name, `Sources[${i}]`))
    check(() => checkTwice(Sources, tenancy))
  }
}
