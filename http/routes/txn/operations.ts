// Converts the elements of a transaction's body to operations (spec: state.md §3.1).
import { recover } from '../../../events/errors.js'
import type { Static } from 'typebox'
import { invalid, Refusal } from '../../../actors/refusal.js'
import type { OperationInput } from '../../../actors/transaction/transaction.js'
import { catalogCheck, serviceInput } from '../catalog/inputs.js'
import { nodeInput } from '../../../events/node.js'
import type { RequestContext } from '../../wire/request-context.js'
import type { transactionBody } from '../../schemas/txn.js'
import { resolveTenancy } from '../../wire/tenancy.js'
import type { ConfigEntryOperationInput } from '../../../actors/transaction/config-entry.js'
import { nameOfEntry, type ConfigKind } from '../../../events/config-entry.js'
import type { Tenancy } from '../../../events/envelope.js'
import { ConfigError } from '../../../events/config/fields/decoder.js'
import { isObject } from '../../../events/values.js'
import type { Json } from '../../../events/config/fields/scalars.js'
import { decodeEntry, kindOf, type DecodedEntry } from '../../../projections/config/kinds/all.js'
import { entryTenancy, withRefusal, spellingOf } from '../config/entry-request.js'

/** An operation on a configuration entry in the body of a transaction. */
interface Given {
  readonly Verb?: string
  readonly ConfigEntry?: unknown
}

const FAILED = 'Failed to parse body: field "ConfigEntry": '
const INDEXES: ReadonlySet<string> = new Set(['createindex', 'modifyindex'])
const MAX_UINT64 = 2n ** 64n - 1n

/** Returns a field in any letter case. */
const field = (fields: Json, name: string): unknown =>
  Object.entries(fields).find(([key]) => key.toLowerCase() === name)?.[1]

const textIn = (fields: Json, name: string): string | undefined => {
  const value = field(fields, name)
  return typeof value === 'string' ? value : undefined
}

const indexIn = (fields: Json): bigint => {
  const value = field(fields, 'modifyindex') ?? 0
  const index =
    typeof value === 'bigint' ? value : Number.isSafeInteger(value) ? BigInt(Number(value)) : undefined
  if (index === undefined || index < 0n || index > MAX_UINT64)
    throw invalid('txn.invalid', `${FAILED}field "ModifyIndex" must be an unsigned integer of 64 bits`)
  return index
}

/** Converts 64-bit integers to numbers. */
const plain = (value: unknown): unknown => {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(plain)
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]))
    : value
}

/** Returns the name of an entry. Kinds with one entry per partition have a default. */
const nameIn = (fields: Json, kind: ConfigKind): string =>
  textIn(fields, 'name') || (kind === 'proxy-defaults' ? 'global' : kind === 'mesh' ? 'mesh' : '')

/** Returns the content, or the violated rule, which is an error of the operation and not of the body. */
const settled = (entry: DecodedEntry, tenancy: Tenancy): ConfigEntryOperationInput['decoded'] => {
  const settle = () => {
    entry.checkBody()
    return { content: entry.settle(tenancy) }
  }
  return recover(settle, ConfigError, ({ message }) => ({ fault: message }))
}

/**
 * Get and deletions need only kind and name.
 * @throws Refusal `invalid` for a malformed entry
 */
const entryOperation = (
  request: RequestContext,
  { Verb: verb = '', ConfigEntry: given = {} }: Given
): ConfigEntryOperationInput => {
  const fields = isObject(given) ? given : {}
  const kind = withRefusal(FAILED, () => kindOf(textIn(fields, 'kind')))
  const index = indexIn(fields)
  const [Namespace, Partition] = [textIn(fields, 'namespace'), textIn(fields, 'partition')]
  const named =
    Namespace || Partition ? resolveTenancy(request, 'many', { Namespace, Partition }) : request.tenancy
  const tenancy = entryTenancy(named, kind)
  const common = { verb, kind, tenancy, index, name: nameIn(fields, kind) }
  if (verb !== 'set' && verb !== 'cas') return { ...common, decoded: undefined }
  const body = Object.fromEntries(Object.entries(fields).filter(([key]) => !INDEXES.has(key.toLowerCase())))
  const result = settled(
    withRefusal(FAILED, () => decodeEntry(plain(body), spellingOf(request))),
    tenancy
  )
  return {
    ...common,
    decoded: result,
    ...(result && 'content' in result ? { name: nameOfEntry(result.content) } : {})
  }
}

type Body = Static<typeof transactionBody>
type Element = Body[number]
type KvElement = NonNullable<Element['KV']>

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
/** The canonical form: complete groups of four, and no bits after the last byte. */
const CANONICAL = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/
/** Up to this length, matching is faster than decoding. */
const SHORT = 256

/** Returns the canonical form of base64 without line breaks; undefined for other texts. */
const canonicalOf = (value: string): string | undefined => {
  const given = value.replaceAll(/[\r\n]/g, '')
  const canonical = Buffer.from(given, 'base64').toString('base64')
  const isBase64 = canonical === given || (given.length % 4 === 0 && BASE64.test(given))
  return isBase64 ? canonical : undefined
}

/** Returns canonical base64, null for an empty value. @throws Refusal */
const valueOf = ({ Value = '', Key = '' }: KvElement, most: number): string | null => {
  const canonical = Value.length <= SHORT && CANONICAL.test(Value) ? Value : canonicalOf(Value)
  if (canonical === undefined)
    throw invalid('txn.invalid', `Failed to parse body: field "KV.Value" of key "${Key}" is not base64`)
  const length = Buffer.byteLength(canonical, 'base64')
  if (length > most)
    throw new Refusal(
      'txn.too-large',
      `Value of key "${Key}" is too large: ${length} bytes, the limit is ${most} (limits.kv_max_value_size)`
    )
  return canonical === '' ? null : canonical
}

const kvOperation = (request: RequestContext, element: KvElement): OperationInput => ({
  kind: 'KV',
  input: {
    verb: element.Verb ?? '',
    key: element.Key ?? '',
    value: valueOf(element, request.settings.limits.kv_max_value_size),
    flags: String(element.Flags ?? 0),
    index: BigInt(element.Index ?? 0),
    session: element.Session ?? '',
    tenancy: tenancyOf(request, element)
  }
})

/** Returns an operation's own tenancy. Default: the request's. */
const tenancyOf = (
  request: RequestContext,
  { Namespace, Partition }: { readonly Namespace?: string; readonly Partition?: string }
) => (Namespace || Partition ? resolveTenancy(request, 'one', { Namespace, Partition }) : request.tenancy)

const nodeOperation = (
  request: RequestContext,
  { Verb, Node = {} }: NonNullable<Element['Node']>
): OperationInput => ({
  kind: 'Node',
  input: {
    verb: Verb ?? '',
    partition: tenancyOf(request, Node.Partition ? { Partition: Node.Partition } : {}).partition,
    input: nodeInput(Node),
    index: BigInt(Node.ModifyIndex ?? 0)
  }
})

const serviceOperation = (
  request: RequestContext,
  { Verb, Node, Service = {} }: NonNullable<Element['Service']>
): OperationInput => ({
  kind: 'Service',
  input: {
    verb: Verb ?? '',
    tenancy: tenancyOf(request, Service),
    node: Node ?? '',
    input: serviceInput(Service),
    id: Service.ID ?? '',
    index: BigInt(Service.ModifyIndex ?? 0)
  }
})

const checkOperation = (
  request: RequestContext,
  { Verb, Check = {} }: NonNullable<Element['Check']>
): OperationInput => ({
  kind: 'Check',
  input: {
    verb: Verb ?? '',
    tenancy: tenancyOf(request, Check),
    // A transaction does not store the type of a check (state.md §3.8).
    input: { ...catalogCheck(Check, ''), Type: '' },
    id: Check.CheckID ?? '',
    index: BigInt(Check.ModifyIndex ?? 0)
  }
})

/** @throws Refusal `invalid` that names the kinds of an element with several */
const checkOneKind = (element: Element, at: number): void => {
  const kinds = Object.keys(element)
  if (kinds.length > 1)
    throw invalid(
      'txn.invalid',
      `Failed to parse body: operation ${at} has ${kinds.map(kind => `"${kind}"`).join(' and ')}: an operation is of one kind`
    )
}

/** Undefined for an element without any kind, which is dropped. */
const inputOf = (
  request: RequestContext,
  { KV, Node, Service, Check, ConfigEntry }: Element
): OperationInput | undefined => {
  if (KV) return kvOperation(request, KV)
  if (Node) return nodeOperation(request, Node)
  if (Service) return serviceOperation(request, Service)
  if (Check) return checkOperation(request, Check)
  return ConfigEntry && { kind: 'ConfigEntry', input: entryOperation(request, ConfigEntry) }
}

/** @throws Refusal `too-large` or `invalid` */
export const operationsOf = (request: RequestContext, body: Body): readonly OperationInput[] => {
  const most = request.settings.limits.txn_max_ops
  if (body.length > most)
    throw new Refusal(
      'txn.too-large',
      `Transaction contains too many operations (${body.length} > ${most}): the limit is limits.txn_max_ops`
    )
  const inputs: OperationInput[] = []
  for (const [at, element] of body.entries()) {
    checkOneKind(element, at)
    const input = inputOf(request, element)
    if (input) inputs.push(input)
  }
  return inputs
}
