// The plan of a run: its readers, and the actions of writers, operators and the machine.
import fc from 'fast-check'

export const KEYS = ['a/1', 'a/2', 'a/x/3', 'b/1', 'b/2', 'c'] as const
/** The possible permissions of the limited token. */
export interface ReaderPermissions {
  readonly folders: readonly ('a/' | 'b/')[]
  readonly nodes: boolean
}
export const ALL_READER_PERMISSIONS: ReaderPermissions = { folders: ['a/', 'b/'], nodes: true }

export type Write =
  | { readonly kind: 'put'; readonly key: string; readonly size: number }
  | { readonly kind: 'delete'; readonly key: string }
  /** All keys in one transaction. */
  | { readonly kind: 'together'; readonly keys: readonly string[] }
  | { readonly kind: 'node'; readonly name: string }

export type Step =
  /** Concurrent writes, awaited. */
  | { readonly kind: 'write'; readonly writes: readonly Write[] }
  | { readonly kind: 'rights'; readonly rights: ReaderPermissions }
  /** A reader disconnects and resumes. */
  | { readonly kind: 'drop'; readonly reader: number }
  /** A kill during these writes. */
  | { readonly kind: 'kill'; readonly writes: readonly Write[] }

export type Wire = 'lines' | 'sse' | 'websocket'

/** A topic with a key or folder; `any` for all readable events. */
export interface Choice {
  readonly topic: string
  readonly key: string | undefined
}

export interface ReaderPlan {
  readonly wire: Wire
  readonly start: 'beginning' | 'now' | 'snapshot'
  /** Number of messages before it reconnects; undefined for none. */
  readonly limit: number | undefined
  readonly isLimited: boolean
  readonly choices: readonly Choice[]
}

export interface Plan {
  readonly readers: readonly ReaderPlan[]
  readonly steps: readonly Step[]
}

const write = fc.oneof(
  fc.record({
    kind: fc.constant('put' as const),
    key: fc.constantFrom(...KEYS),
    size: fc.constantFrom(1, 100, 30_000)
  }),
  fc.record({ kind: fc.constant('delete' as const), key: fc.constantFrom(...KEYS) }),
  fc.record({
    kind: fc.constant('together' as const),
    keys: fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 2 })
  }),
  fc.record({ kind: fc.constant('node' as const), name: fc.constantFrom('n1', 'n2') })
)
const writes = fc.array(write, { minLength: 1, maxLength: 20 })

const rights = fc.record({
  folders: fc.subarray<'a/' | 'b/'>(['a/', 'b/']),
  nodes: fc.boolean()
})

const ofRoot: readonly (readonly Choice[])[] = [
  [],
  [{ topic: '*', key: undefined }],
  [{ topic: 'KV', key: undefined }],
  [
    { topic: 'KV', key: 'b/' },
    { topic: 'Node', key: undefined }
  ],
  [{ topic: '*', key: 'a/' }],
  [
    { topic: 'KV', key: 'a/1' },
    { topic: 'KV', key: 'a/x/' }
  ],
  [{ topic: 'Session', key: undefined }]
]
const ofLimited: readonly (readonly Choice[])[] = [
  [{ topic: 'any', key: undefined }],
  [{ topic: 'KV', key: 'a/' }],
  [
    { topic: 'KV', key: 'b/1' },
    { topic: 'Node', key: undefined }
  ]
]

const reader: fc.Arbitrary<ReaderPlan> = fc.boolean().chain(isLimited =>
  fc.record({
    wire: fc.constantFrom<Wire>('lines', 'sse', 'websocket'),
    start: fc.constantFrom('beginning', 'now', 'snapshot'),
    limit: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
    isLimited: fc.constant(isLimited),
    choices: fc.constantFrom(...(isLimited ? ofLimited : ofRoot))
  })
)

const kill = fc.record({ kind: fc.constant('kill' as const), writes })

export const plans: fc.Arbitrary<Plan> = fc.record({
  readers: fc.array(reader, { minLength: 6, maxLength: 12 }),
  steps: fc
    .tuple(
      fc.array(
        fc.oneof(
          { weight: 8, arbitrary: fc.record({ kind: fc.constant('write' as const), writes }) },
          { weight: 3, arbitrary: fc.record({ kind: fc.constant('rights' as const), rights }) },
          { weight: 4, arbitrary: fc.record({ kind: fc.constant('drop' as const), reader: fc.nat() }) },
          { weight: 1, arbitrary: kill }
        ),
        { minLength: 20, maxLength: 40 }
      ),
      kill,
      fc.nat()
    )
    // Each plan has at least one kill.
    .map(([steps, end, at]) => steps.toSpliced(at % steps.length, 0, end))
})
