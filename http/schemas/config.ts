// Configuration entries in the API documentation, from the declarations of their kinds (spec: config.md §2, §3).
import * as Type from 'typebox'
import { CONFIG_KINDS, type ConfigKind } from '../../events/config-entry.js'
import { isObject } from '../../events/values.js'
import type { JsonSchema } from '../../events/config/fields/decoder.js'
import { schemasOfKind } from '../../projections/config/kinds/all.js'
import { chain } from './discovery-chain.js'
import { indexView, tenancyView, textList, strict, text, view } from './view.js'

const WEB = { Name: 'web' }

/** Example bodies by kind, without `Kind`. */
const EXAMPLES: Readonly<Record<ConfigKind, object>> = {
  'exported-services': { Name: 'default', Services: [{ Name: 'web', Consumers: [{ Partition: 'east' }] }] },
  'ingress-gateway': {
    Name: 'front',
    Listeners: [{ Port: 8443, Protocol: 'http', Services: [{ Name: 'web', Hosts: ['web.example'] }] }]
  },
  mesh: { TransparentProxy: { MeshDestinationsOnly: true } },
  'proxy-defaults': { Name: 'global', Config: { protocol: 'http' } },
  'service-defaults': { ...WEB, Protocol: 'http' },
  'service-intentions': { ...WEB, Sources: [{ Name: 'api', Action: 'allow' }] },
  'service-resolver': { ...WEB, Failover: { '*': { Datacenters: ['dc2'] } } },
  'service-router': {
    ...WEB,
    Routes: [{ Match: { HTTP: { PathPrefix: '/api' } }, Destination: { Service: 'api' } }]
  },
  'service-splitter': { ...WEB, Splits: [{ Weight: 100, Service: 'web-v2' }] },
  'terminating-gateway': { Name: 'out', Services: [{ Name: 'billing' }] }
}

/** Returns the component name, such as ServiceDefaults for `service-defaults`. */
const nameOf = (kind: ConfigKind): string =>
  kind.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())

const withKind = (kind: ConfigKind, schema: JsonSchema, further: JsonSchema): JsonSchema => ({
  ...schema,
  properties: { Kind: { const: kind, type: 'string' }, ...further, ...fieldsOf(schema) },
  required: ['Kind', ...requiredOf(schema)]
})

const fieldsOf = ({ properties }: JsonSchema): JsonSchema => (isObject(properties) ? properties : {})
const requiredOf = ({ required }: JsonSchema): readonly unknown[] => (Array.isArray(required) ? required : [])

const bodyOf = (kind: ConfigKind) =>
  Type.Unsafe<object>({
    ...withKind(kind, schemasOfKind(kind).given, {}),
    $id: `${nameOf(kind)}Input`,
    examples: [{ Kind: kind, ...EXAMPLES[kind] }]
  })

const shownOf = (kind: ConfigKind) =>
  Type.Unsafe<object>({
    ...withKind(kind, schemasOfKind(kind).shown, { ...tenancyView, ...indexView }),
    ...(kind === 'mesh' ? { description: 'Has no `Name`: a partition has one entry of this kind' } : {}),
    $id: nameOf(kind)
  })

const FIRST = 'service-defaults'
const EMPTY = { TransparentProxy: {}, MeshGateway: {}, Expose: {} }
const STORED = { Kind: FIRST, ...EXAMPLES[FIRST], ...EMPTY, CreateIndex: 42, ModifyIndex: 42 }

/** The body of a write. */
export const configEntryBody = Type.Union(CONFIG_KINDS.map(bodyOf), {
  $id: 'ConfigEntryInput',
  examples: [{ Kind: FIRST, ...EXAMPLES[FIRST] }]
})

/** An entry in responses. */
export const configEntry = Type.Union(CONFIG_KINDS.map(shownOf), { $id: 'ConfigEntry', examples: [STORED] })

export const configEntries = Type.Array(configEntry)
export const stored = Type.Boolean({ description: 'False when cas did not hold' })

const difference = view('KeyDifference', { Added: textList, Removed: textList, Changed: textList })

const chainDifference = view('ChainDifference', {
  Service: Type.String(),
  Namespace: Type.String(),
  Before: Type.Union([chain, Type.Null()]),
  After: Type.Union([chain, Type.Null()]),
  Error: text('Why it does not compile afterwards'),
  Nodes: difference,
  Targets: difference
})

const dryRun = view(
  'ConfigEntryTrial',
  {
    Outcome: Type.Union(['stored', 'unchanged', 'stale', 'refused'].map(outcome => Type.Literal(outcome))),
    Entry: Type.Union([configEntry, Type.Null()]),
    Errors: textList,
    Chains: Type.Array(chainDifference),
    Unchecked: Type.Integer({ description: 'Chains that may differ and were not looked at' })
  },
  'With dry-run: what the write would do'
)

/** The result of a write, or of its dry run. */
export const writtenEntry = Type.Union([stored, dryRun], { examples: [true] })

/** The result of a deletion; with `cas` a boolean. */
export const deletedEntry = Type.Union(
  [strict({}), Type.Boolean({ description: 'With cas: whether it held' })],
  { examples: [{}] }
)
