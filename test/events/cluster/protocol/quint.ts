// Runs the executable specification of the protocol, and reads the traces that it makes.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { projectRoot, type Scope } from '../../../support/process.js'

export const SPECIFICATION = readFileSync(join(projectRoot, 'events/log/cluster/protocol.qnt'), 'utf8')

const Append = Type.Object({ epoch: Type.Number(), before: Type.Number(), write: Type.Number() })
const State = Type.Object({
  etcd: Type.Object({
    log: Type.Array(Type.Object({ epoch: Type.Number(), write: Type.Number() })),
    leader: Type.Object({ server: Type.String(), epoch: Type.Number() }),
    terms: Type.Number(),
    floor: Type.Number()
  }),
  servers: Type.Record(
    Type.String(),
    Type.Object({ disk: Type.Number(), epoch: Type.Number(), pending: Type.Array(Append) })
  ),
  clients: Type.Object({ acknowledged: Type.Array(Type.Number()), refused: Type.Array(Type.Number()) }),
  /** The action that led here, and what it was about. */
  actionTaken: Type.String(),
  nondetPicks: Type.Object({
    s: Type.Optional(Type.String()),
    m: Type.Optional(Append),
    count: Type.Optional(Type.Number())
  })
})
const Step = Type.Array(State)

export type ProtocolState = Static<typeof State>
export type Trace = readonly ProtocolState[]

interface Exploration {
  /** How many traces are looked at. */
  readonly traces: number
  /** The most steps of each. */
  readonly steps: number
  /** Default: the specification in the repository. */
  readonly specification?: string
  /** How many of the traces are returned. */
  readonly kept?: number
}

/** Explores random traces. @returns the output of Quint, whether every invariant held, and traces */
export async function explore(
  scope: Scope,
  { traces, steps, specification = SPECIFICATION, kept = 0 }: Exploration
): Promise<{ readonly holds: boolean; readonly output: string; readonly traces: readonly Trace[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-protocol-'))
  scope.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'protocol.qnt')
  writeFileSync(file, specification)
  const parameters = [
    'run',
    file,
    '--main=threeServers',
    '--invariant=safe',
    '--backend=typescript',
    '--verbosity=1',
    `--max-samples=${traces}`,
    `--max-steps=${steps}`,
    ...(kept === 0
      ? []
      : ['--mbt', `--n-traces=${kept}`, `--out-itf=${join(folder, 'trace_{seq}.itf.json')}`])
  ]
  const cli = join(projectRoot, 'node_modules/@informalsystems/quint/dist/src/cli.js')
  const { holds, output } = await promisify(execFile)(process.execPath, [cli, ...parameters]).then(
    ({ stdout }) => ({ holds: true, output: stdout }),
    (error: { stdout?: string; stderr?: string }) => ({
      holds: false,
      output: `${error.stdout ?? ''}${error.stderr ?? ''}`
    })
  )
  const files = readdirSync(folder).filter(name => name.endsWith('.json'))
  return { holds, output, traces: files.map(name => readTrace(readFileSync(join(folder, name), 'utf8'))) }
}

/** Reads a trace in the Informal Trace Format: numbers, sets, maps and variants become those of JSON. */
function readTrace(text: string): Trace {
  const { states } = Value.Parse(
    Type.Object({ states: Type.Array(Type.Record(Type.String(), Type.Unknown())) }),
    JSON.parse(text, (_, value: unknown) => plain(value))
  )
  // `threeServers::protocol::etcd`, `mbt::actionTaken`
  const short = (name: string): string => name.slice(name.lastIndexOf(':') + 1)
  return Value.Parse(
    Step,
    states.map(state =>
      Object.fromEntries(Object.entries(state).map(([name, value]) => [short(name), value]))
    )
  )
}

const Tagged = Type.Union([
  Type.Object({ '#bigint': Type.String() }),
  Type.Object({ '#set': Type.Array(Type.Unknown()) }),
  Type.Object({
    '#map': Type.Array(Type.Tuple([Type.Union([Type.String(), Type.Number()]), Type.Unknown()]))
  }),
  Type.Object({ tag: Type.String(), value: Type.Unknown() })
])

function plain(value: unknown): unknown {
  if (!Value.Check(Tagged, value)) return value
  if ('#bigint' in value) return Number(value['#bigint'])
  if ('#set' in value) return value['#set']
  if ('#map' in value) return Object.fromEntries(value['#map'])
  return value.tag === 'None' ? undefined : value.value
}
