import {
  isConfigKind,
  type ConfigContent,
  type ConfigKind,
  type ContentByKind
} from '../../../events/config-entry.js'
import type { Tenancy } from '../../../events/envelope.js'
import { ConfigError, type Schemas, type Spelling } from '../../../events/config/fields/decoder.js'
import { isObject } from '../../../events/values.js'
import { type Json, wrongType } from '../../../events/config/fields/scalars.js'
import { exportedServices, mesh } from './access.js'
import { ingressGateway, terminatingGateway } from './gateways.js'
import { serviceIntentions } from './intentions.js'
import type { Checking, KindRules } from './kind.js'
import { serviceResolver, serviceRouter, serviceSplitter } from './routing.js'
import { proxyDefaults, serviceDefaults } from './services.js'

const rules: { readonly [Kind in ConfigKind]: KindRules<ContentByKind[Kind]> } = {
  'exported-services': exportedServices,
  'ingress-gateway': ingressGateway,
  mesh,
  'proxy-defaults': proxyDefaults,
  'service-defaults': serviceDefaults,
  'service-intentions': serviceIntentions,
  'service-resolver': serviceResolver,
  'service-router': serviceRouter,
  'service-splitter': serviceSplitter,
  'terminating-gateway': terminatingGateway
}

/** The schemas of input and output, without `Kind` and indexes. */
export const schemasOfKind = (kind: ConfigKind): Schemas => rules[kind].decode.schemas

export interface DecodedEntry {
  readonly kind: ConfigKind
  /** A rule that is checked after the permission to write the entry. @throws ConfigError */
  readonly checkBody: () => void
  readonly Namespace: string | undefined
  readonly Partition: string | undefined
  /** Normalizes the content and checks its rules: each by `check`, else up to the first error. @throws ConfigError naming the field and the rule */
  readonly settle: (tenancy: Tenancy, check?: Checking) => ConfigContent
}

/** @throws ConfigError */
export const kindOf = (text: unknown): ConfigKind => {
  if (typeof text !== 'string') throw wrongType('Kind', 'a text', text)
  if (!isConfigKind(text)) throw new ConfigError(`unknown kind of configuration entry: "${text}"`)
  return text
}

const settle = <Kind extends ConfigKind>(
  kind: Kind,
  content: ContentByKind[Kind],
  tenancy: Tenancy,
  check: Checking
): ContentByKind[Kind] => {
  const { normalise, validate }: KindRules<ContentByKind[Kind]> = rules[kind]
  const normalised = normalise ? normalise(content, tenancy) : content
  validate(normalised, tenancy, check)
  return normalised
}

/** Reads a text field in any letter case. */
const textIn = (fields: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  for (const [key, value] of Object.entries(fields))
    if (key.toLowerCase() === name && typeof value === 'string') return value
  return undefined
}

/** The kind, as `Kind` or with any letter case as `kind`, and the other fields. */
const kindIn = (body: Json, spelling: Spelling): { readonly given: unknown; readonly fields: Json } => {
  const { Kind: given, ...rest } = body
  if (spelling === 'exact') return { given, fields: rest }
  const { kind: lower, ...fields } = rest
  return { given: given ?? lower, fields }
}

/** Decodes the body of a write into an entry of its kind (spec: config.md §2). @throws ConfigError naming the field and the rule */
export const decodeEntry = (body: unknown, spelling: Spelling = 'any'): DecodedEntry => {
  if (!isObject(body)) throw wrongType('entry', 'an object', body)
  const { given, fields } = kindIn(body, spelling)
  if (given === undefined || given === null) throw new ConfigError('field "Kind" is required')
  const kind = kindOf(given)
  const content = rules[kind].decode(fields, '', spelling)
  return {
    kind,
    checkBody: () => rules[kind].checkBody?.(fields),
    Namespace: textIn(fields, 'namespace'),
    Partition: textIn(fields, 'partition'),
    settle: (tenancy, check = run => run()) => settle(kind, content, tenancy, check)
  }
}
