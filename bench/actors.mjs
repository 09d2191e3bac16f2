// Prints the cost of the actor system per write, without HTTP and disk: one process, the log in memory.
// Usage: node bench/actors.mjs [writes] [rounds]   (after a build; default: 20,000 writes and 15 rounds)
// Times are CPU times, which other processes affect little: the median and the minimum of the rounds.
import 'reflect-metadata'
import { Activations } from '../dist/actors/unit-of-work.js'
import { lifecycles } from '../dist/actors/aggregates.js'
import { Committer } from '../dist/actors/committer.js'
import { inNamespace } from '../dist/actors/ref.js'
import { ActorSystem } from '../dist/actors/system.js'
import { MemoryEventLog } from '../dist/events/log/memory.js'
import { Views } from '../dist/projections/read-models.js'
import { median } from './statistics.mjs'

const WRITES = Number(process.argv[2] ?? 20_000)
const ROUNDS = Number(process.argv[3] ?? 15)
/** Commits per flush. */
const GROUP = 50
const KEYS = 5000

const settings = {
  datacenter: 'dc1',
  isPrimary: true,
  aclEnabled: true,
  defaultPolicy: 'deny',
  tokenLife: { min: 60e9, max: 86_400e9 }
}
const tenancy = { partition: 'default', namespace: 'default' }
const caller = { accessor: 'a', address: '127.0.0.1', requestId: 'r' }
const common = { tenancy, caller, at: Date.UTC(2026, 0, 1) }
const id = n => `5ec51e41-0000-4000-8000-${String(n).padStart(12, '0')}`

const policyCreate = n => [
  inNamespace('ACLPolicy', tenancy, id(n)),
  {
    ...common,
    name: 'CreatePolicy',
    data: {
      Name: `policy-${n}`,
      Description: '',
      Rules: 'key_prefix "a" { policy = "read" }',
      Datacenters: undefined,
      newId: id(n)
    }
  }
]

const kvPut = n => {
  const key = `services/web/${n % KEYS}`
  const value = Buffer.from(`value ${n}`).toString('base64')
  return [inNamespace('KV', tenancy, key), { ...common, name: 'SetKey', data: { key, value, flags: '0' } }]
}

/** Returns the CPU time of `work` in ns per unit of `count`. */
const cost = async (count, work) => {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return ((user + system) * 1000) / count
}

/** Measures a write from the command to its commit in the log. */
const wholeWrite = async command => {
  const views = new Views(settings)
  const committer = new Committer(new MemoryEventLog(), views)
  const system = new ActorSystem(views, committer)
  const asked = Array.from({ length: WRITES }, (_, n) => command(n))
  const ns = await cost(WRITES, async () => {
    for (let n = 0; n < WRITES;) {
      for (const end = Math.min(n + GROUP, WRITES); n < end; n++) system.send(...asked[n])
      await committer.settled()
    }
  })
  committer.stop()
  return ns
}

/** Measures only a virtual actor: its activation, one event, and its passivation. */
const actorAlone = async command => {
  const views = new Views(settings)
  const committer = new Committer(new MemoryEventLog(), views)
  const [ref, asked] = command(0)
  const { commit } = new ActorSystem(views, committer).send(ref, asked)
  await committer.settled()
  committer.stop()
  const lifecycle = lifecycles.of(ref.kind)
  return cost(WRITES, () => {
    for (let n = 0; n < WRITES; n++) {
      const actors = new Activations(lifecycles, views)
      actors.activate(ref, lifecycle)
      actors.takeAll(commit.Events)
    }
  })
}

for (const [name, command] of Object.entries({ 'policy create': policyCreate, 'KV put': kvPut }))
  for (const [part, measure] of Object.entries({ 'whole write': wholeWrite, 'its actor': actorAlone })) {
    const rounds = []
    for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(command))
    const [middle, least] = [median(rounds), Math.min(...rounds)].map(Math.round)
    console.log(`${name}, ${part}: ${middle} ns (least ${least} ns)`)
  }
