// The permissions that an erasure needs: write on every resource that it may erase (shared decision 51).
import { AUTH_METHOD_TOPIC } from '../../../events/auth-method.js'
import { BINDING_RULE_TOPIC } from '../../../events/binding-rule.js'
import { CHECK_TOPIC, isCheckEvent } from '../../../events/check.js'
import { CONFIG_ENTRY_TOPIC, CONFIG_KINDS } from '../../../events/config-entry.js'
import { DEFAULT_TENANCY, type Event } from '../../../events/envelope.js'
import { isErasedBy, isOriginErasure, type Erasure, type PayloadErasure } from '../../../events/erasure.js'
import { KV_TOPIC } from '../../../events/kv.js'
import { type LogReader, resourceOf } from '../../../events/log/log.js'
import { OIDC_REQUEST_TOPIC } from '../../../events/oidc-request.js'
import { POLICY_TOPIC } from '../../../events/policy.js'
import { POLICY_PROPOSAL_TOPIC } from '../../../events/policy-proposal.js'
import { ROLE_TOPIC } from '../../../events/role.js'
import { isServiceEvent, SERVICE_TOPIC } from '../../../events/service.js'
import { isSessionEvent, SESSION_TOPIC } from '../../../events/session.js'
import { TOKEN_TOPIC } from '../../../events/token.js'
import type { Resource } from '../../../projections/acl/authorizer.js'
import { deletePermissionOf } from '../../../projections/config/entry-permissions.js'
import type { RequestContext } from '../../wire/request-context.js'

/** @throws Refusal `denied` */
type RequireWrite = (request: RequestContext, erasure: PayloadErasure, log: LogReader) => void | Promise<void>

const mayInCluster = (request: RequestContext): boolean =>
  request.may('operator', 'write', '', DEFAULT_TENANCY) && request.may('acl', 'write', '', DEFAULT_TENANCY)

const requireInCluster = (request: RequestContext): void => {
  request.require('operator', 'write', '', DEFAULT_TENANCY)
  request.require('acl', 'write', '', DEFAULT_TENANCY)
}

/** These topics need only `acl:write`, which every erasure needs. */
const accessControl: RequireWrite = () => {}

const keyValue: RequireWrite = (request, { Key, Prefix = '' }) =>
  Key === undefined ? request.require('key', 'write-prefix', Prefix) : request.require('key', 'write', Key)

/** A key begins with the kind of the entry, which determines the permission. */
const configEntry: RequireWrite = (request, { Key, Prefix = '' }) => {
  const text = Key ?? Prefix
  const kinds = CONFIG_KINDS.filter(
    kind => text.startsWith(`${kind}/`) || (Key === undefined && `${kind}/`.startsWith(text))
  )
  if (kinds.length === 0) requireInCluster(request)
  for (const kind of kinds) {
    const { resource, segment, tenancy } = deletePermissionOf(
      kind,
      text.slice(kind.length + 1),
      request.tenancy
    )
    const isPrefix = Key === undefined && resource !== 'operator'
    request.require(resource, isPrefix ? 'write-prefix' : 'write', segment, tenancy)
  }
}

/** Extracts the permission's name from a payload whose key lacks it. Undefined for an event of another topic. */
type NameIn = (event: Event) => string | undefined

/** Returns whether a key has versions, all in the erasure's namespace and under names that the caller may write. */
const mayWriteVersions = async (
  erasure: PayloadErasure,
  log: LogReader,
  mayWrite: (event: Event) => boolean
): Promise<boolean> => {
  const { Topic, Partition, Namespace, Key = '', UpTo } = erasure
  let hasVersions = false
  for (const space of [Namespace, ''])
    for await (const { Index, Events } of log.history(
      resourceOf({ Topic, Partition, Namespace: space, Key })
    )) {
      if (Index > UpTo) break
      const versions = Events.filter(event => isErasedBy(event, erasure))
      if (versions.some(event => event.Erased || event.Namespace === '' || !mayWrite(event))) return false
      hasVersions ||= versions.length > 0
    }
  return hasVersions
}

/**
 * Existing versions under forbidden names and missing ones are denied alike, by the permission on all names.
 * @param requireAll requires the permission for a prefix and for a key with forbidden names
 */
const namedInPayload =
  (
    resource: Resource,
    nameIn: NameIn,
    mayAll: (request: RequestContext) => boolean,
    requireAll: (request: RequestContext) => void
  ): RequireWrite =>
  async (request, erasure, log) => {
    if (mayAll(request)) return
    const mayWrite = (event: Event): boolean => {
      const name = nameIn(event)
      return name !== undefined && request.may(resource, 'write', name)
    }
    if (erasure.Key === undefined || !(await mayWriteVersions(erasure, log, mayWrite))) requireAll(request)
  }

const namedOf = (resource: Resource, nameIn: NameIn): RequireWrite =>
  namedInPayload(
    resource,
    nameIn,
    request => request.may(resource, 'write-prefix'),
    request => request.require(resource, 'write-prefix')
  )

/** By topic. Resources of other topics have no namespace. */
const writePermissions: ReadonlyMap<string, RequireWrite> = new Map([
  [TOKEN_TOPIC, accessControl],
  [POLICY_TOPIC, accessControl],
  [POLICY_PROPOSAL_TOPIC, accessControl],
  [ROLE_TOPIC, accessControl],
  [AUTH_METHOD_TOPIC, accessControl],
  [BINDING_RULE_TOPIC, accessControl],
  [OIDC_REQUEST_TOPIC, accessControl],
  [KV_TOPIC, keyValue],
  [CONFIG_ENTRY_TOPIC, configEntry],
  [
    SERVICE_TOPIC,
    namedOf('service', event => (isServiceEvent(event) ? event.Payload.Service.ServiceName : undefined))
  ],
  [
    SESSION_TOPIC,
    namedOf('session', event => (isSessionEvent(event) ? event.Payload.Session.Node : undefined))
  ],
  // Checks of nodes have the same topic and no namespace.
  [
    CHECK_TOPIC,
    namedInPayload(
      'service',
      event => (isCheckEvent(event) ? event.Payload.Check.ServiceName : undefined),
      mayInCluster,
      requireInCluster
    )
  ]
])

export const hasNamespace = (topic: string): boolean => writePermissions.has(topic)

/** Checks permissions before the response discloses anything about the erased resources. @throws Refusal `denied` */
export const requireErasure = async (
  request: RequestContext,
  erasure: Erasure,
  log: LogReader
): Promise<void> => {
  if (isOriginErasure(erasure)) return requireInCluster(request)
  const requireWrite = writePermissions.get(erasure.Topic) ?? requireInCluster
  await requireWrite(request, erasure, log)
}

export const canSeeErasure = (request: RequestContext, erasure: Erasure): boolean => {
  if (isOriginErasure(erasure) || !hasNamespace(erasure.Topic)) return mayInCluster(request)
  const { Partition: partition, Namespace: namespace } = erasure
  return request.may('acl', 'write', '', { partition, namespace })
}
