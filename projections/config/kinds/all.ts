// From the body of a write to an entry's content: every kind by its name (spec: config.md §2).
import {
  isConfigKind,
  type ConfigContent,
  type ConfigKind,
  type ContentByKind
} from '../../../events/config-entry.js'
import type { Tenancy } from '../../../events/envelope.js'
import { ConfigError } from '../fields/decoder.js'
import type { Schemas, Spelling } from '../fields/decoder.js'
import { isObject, type Json } from '../fields/containers.js'
import { wrongType } from '../fields/scalars.js'
import { exportedServices } from './exported-services.js'
import { ingressGateway } from './ingress-gateway.js'
import type { Checking, KindRules } from './kind.js'
import { mesh } from './mesh.js'
import { proxyDefaults } from './proxy-defaults.js'
import { serviceDefaults } from './service-defaults.js'
import { serviceIntentions } from './service-intentions.js'
import { serviceResolver } from './service-resolver.js'
import { serviceRouter } from './service-router.js'
import { serviceSplitter } from './service-splitter.js'
import { terminatingGateway } from './terminating-gateway.js'

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

/** What the bodies of a kind hold, and what is shown of it, without `Kind` and indexes. */
export const schemasOfKind = (kind: ConfigKind): Schemas => rules[kind].schemas

/** A body read, before its tenancy is known. */
export interface DecodedEntry {
  readonly kind: ConfigKind
  /** A rule that is checked after the right to write the entry. @throws ConfigError */
  readonly checkBody: () => void
  /** What the body says of its tenancy. */
  readonly Namespace: string | undefined
  readonly Partition: string | undefined
  /**
   * The content in its tenancy, normalised, with its rules checked.
   * @param check runs each check; without it the first fault is thrown
   * @throws ConfigError naming the field and the rule that is broken
   */
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

/** A text field of a body in any letter case. */
const textIn = (fields: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  for (const [key, value] of Object.entries(fields))
    if (key.toLowerCase() === name && typeof value === 'string') return value
  return undefined
}

/** The kind, as `Kind` or where letter case does not matter as `kind`, and the other fields. */
const kindIn = (body: Json, spelling: Spelling): { readonly given: unknown; readonly fields: Json } => {
  const { Kind: given, ...rest } = body
  if (spelling === 'exact') return { given, fields: rest }
  const { kind: lower, ...fields } = rest
  return { given: given ?? lower, fields }
}

/**
 * Reads the JSON value of a body.
 * @throws ConfigError naming the field and the rule
 */
export const decodeEntry = (body: unknown, spelling: Spelling = 'any'): DecodedEntry => {
  if (!isObject(body)) throw wrongType('entry', 'an object', body)
  const { given, fields } = kindIn(body, spelling)
  if (given === undefined || given === null) throw new ConfigError('field "Kind" is required')
  const kind = kindOf(given)
  const content = rules[kind].decode(fields, spelling)
  return {
    kind,
    checkBody: () => rules[kind].checkBody?.(fields),
    Namespace: textIn(fields, 'namespace'),
    Partition: textIn(fields, 'partition'),
    settle: (tenancy, check = run => run()) => settle(kind, content, tenancy, check)
  }
}
