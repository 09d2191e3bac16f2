// The ordinary requests that make the changes of a change set, by kind.
import { hash } from 'node:crypto'
import type { ChangeKindName } from '../../../actors/change-set/change-kind-names.js'
import { invalidWith } from '../../../actors/refusal.js'
import { isUuid } from '../../../actors/uuid.js'
import type { Event } from '../../../events/envelope.js'
import { isQueryEvent } from '../../../events/prepared-query.js'
import { HIDDEN } from '../../../events/values.js'
import type { RevertWrite } from '../events/revert/revert-requests.js'

const invalidChanges = invalidWith('changes.invalid')

/** A change of one resource as a body declares it. */
export interface DeclaredChange {
  readonly kind: ChangeKindName
  /** `PARTITION/NAMESPACE`. */
  readonly space: string
  readonly name: string
  /** The content; undefined for a deletion. */
  readonly body: Readonly<Record<string, unknown>> | undefined
}

/** The state of the resource, and the label of the owner. */
interface Present {
  readonly before: Event | undefined
  readonly owner: string | undefined
}

interface ChangeRequests {
  put(change: DeclaredChange & { readonly body: object }, present: Present): RevertWrite
  remove(change: DeclaredChange, present: Present): RevertWrite
}

const LONGEST_NAME = 1024

/** Returns the ID of a resource without a name of its own: the name itself, or a UUID (version 8) from a hash of it. */
export const idOf = ({ kind, space, name }: Pick<DeclaredChange, 'kind' | 'space' | 'name'>): string => {
  if (isUuid(name)) return name.toLowerCase()
  const digits = hash('sha256', JSON.stringify([kind, space, name]), 'hex')
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20, 32)}`
}

/** Names an ID that no resource has. */
const NO_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const byName = (kind: string): ChangeRequests => ({
  put: ({ name, body }) => ({
    operationId: `update${kind}`,
    params: { name },
    body: { ...body, Name: name }
  }),
  remove: ({ name }) => ({ operationId: `delete${kind}`, params: { name } })
})

/** @param identifiedBy fields of the body that name the resource */
const byId = (kind: string, identifiedBy: (name: string) => object): ChangeRequests => ({
  put: ({ name, body }, { before }) =>
    before
      ? { operationId: `update${kind}`, params: { id: before.Key }, body: { ...body, ...identifiedBy(name) } }
      : { operationId: `create${kind}`, body: { ...body, ...identifiedBy(name) } },
  remove: (_change, { before }) => ({ operationId: `delete${kind}`, params: { id: before?.Key ?? NO_ID } })
})

const bindingRules: ChangeRequests = {
  put: (change, { before }) =>
    before
      ? { operationId: 'updateBindingRule', params: { id: before.Key }, body: change.body }
      : { operationId: 'createBindingRule', body: change.body, newId: idOf(change) },
  remove: change => ({ operationId: 'deleteBindingRule', params: { id: idOf(change) } })
}

/** A token keeps its secret. @throws Refusal `invalid` for a name that needs an owner */
const tokens: ChangeRequests = {
  put: ({ name, body }, { before, owner }) => {
    const { SecretID, AccessorID: _accessor, ...content } = Object(body)
    if (!isUuid(name) && owner === undefined)
      throw invalidChanges(
        `Invalid Owner: token ${JSON.stringify(name)} is found by its owner label and name; a token without an owner is named by its AccessorID`
      )
    const named = isUuid(name) ? {} : { Specification: `${owner}/${name}` }
    if (before)
      return {
        operationId: 'updateToken',
        params: { AccessorID: before.Key },
        body: { ...content, ...named }
      }
    const ids = {
      ...(isUuid(name) ? { AccessorID: name } : {}),
      ...(SecretID === undefined ? {} : { SecretID })
    }
    return { operationId: 'createToken', body: { ...content, ...named, ...ids } }
  },
  remove: (_change, { before }) => ({
    operationId: 'deleteToken',
    params: { AccessorID: before?.Key ?? NO_ID }
  })
}

/** A hidden token is that of the stored query. */
const queryBody = (body: object, before: Event | undefined): object => {
  const { Token, ...content } = Object(body)
  if (Token !== HIDDEN || !before || !isQueryEvent(before)) return body
  return { ...content, Token: before.Secrets?.['Token'] ?? before.Payload.PreparedQuery.Token }
}

const queries: ChangeRequests = {
  put: ({ name, body }, { before }) => {
    const content = { ...queryBody(body, before), ...(isUuid(name) ? {} : { Name: name }) }
    return before
      ? { operationId: 'updateQuery', params: { id: before.Key }, body: content }
      : { operationId: 'createQuery', body: content }
  },
  remove: (_change, { before }) => ({ operationId: 'deleteQuery', params: { id: before?.Key ?? NO_ID } })
}

const isCanonicalBase64 = (text: string): boolean => Buffer.from(text, 'base64').toString('base64') === text

const keys: ChangeRequests = {
  put: ({ name, body }) => {
    const { Value = null, Flags = 0, ...others } = Object(body)
    const [unknown] = Object.keys(others)
    const isBase64 = Value === null || (typeof Value === 'string' && isCanonicalBase64(Value))
    if (unknown !== undefined || !isBase64)
      throw invalidChanges(
        `Invalid ${unknown ?? 'Value'}: a key has Value, which is Base64, and Flags, an unsigned integer`
      )
    const query = { flags: String(Flags) }
    return { operationId: 'writeKey', params: { key: name }, query, body: Buffer.from(Value ?? '', 'base64') }
  },
  remove: ({ name }) => ({ operationId: 'deleteKey', params: { key: name } })
}

const partsOf = (name: string) => {
  const slash = name.indexOf('/')
  return { kind: name.slice(0, slash), name: name.slice(slash + 1) }
}

const configEntries: ChangeRequests = {
  put: ({ name, body }) => {
    const parts = partsOf(name)
    return { operationId: 'writeConfigEntry', body: { ...body, Kind: parts.kind, Name: parts.name } }
  },
  remove: ({ name }) => ({ operationId: 'deleteConfigEntry', params: partsOf(name) })
}

const REQUESTS: Readonly<Record<ChangeKindName, ChangeRequests>> = {
  partition: byName('Partition'),
  namespace: byName('Namespace'),
  policy: byId('Policy', Name => ({ Name })),
  role: byId('Role', Name => ({ Name })),
  'auth-method': byName('AuthMethod'),
  'binding-rule': bindingRules,
  token: tokens,
  'config-entry': configEntries,
  query: queries,
  key: keys
}

/** @throws Refusal `invalid` for a name that no resource of the kind can have */
export const checkName = ({ kind, name }: Pick<DeclaredChange, 'kind' | 'name'>): void => {
  if (name === '' || name.length > LONGEST_NAME)
    throw invalidChanges(`Invalid Name: the name of a ${kind} has 1 to ${LONGEST_NAME} characters`)
  if (kind === 'config-entry' && !/^[^/]+\/.+$/.test(name))
    throw invalidChanges(`Invalid Name: ${JSON.stringify(name)} is not KIND/NAME, as in service-defaults/web`)
}

/** Returns the request that makes a change. @throws Refusal `invalid` */
export const requestOf = (change: DeclaredChange, present: Present): RevertWrite => {
  const { kind, body } = change
  return body === undefined
    ? REQUESTS[kind].remove(change, present)
    : REQUESTS[kind].put({ ...change, body }, present)
}
