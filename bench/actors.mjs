// Prints the cost of the actor system per write, without HTTP and disk: one process, the log in memory.
// Usage: node bench/actors.mjs [writes] [rounds] [folder of a build]   (default: 20,000 writes, 15 rounds and `dist`)
// Times are CPU times, which other processes affect little: the median and the minimum of the rounds.
import 'reflect-metadata'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { median } from './statistics.mjs'

const WRITES = Number(process.argv[2] ?? 20_000)
const ROUNDS = Number(process.argv[3] ?? 15)
const BUILD = resolve(process.argv[4] ?? join(import.meta.dirname, '../dist'))
/** Commits per flush. */
const GROUP = 50
const KEYS = 5000

const load = path => import(pathToFileURL(join(BUILD, path)))
const { Committer } = await load('actors/committer.js')
const { inCluster, inNamespace } = await load('actors/ref.js')
const { ActorSystem } = await load('actors/system.js')
const { decisionRules } = await load('actors/aggregates.js')
const { MemoryEventLog } = await load('events/log/memory.js')
const { operationOf } = await load('actors/transaction/transaction.js')
const { Views } = await load('projections/read-models.js')

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

const tokenCreate = n => [
  inNamespace('ACLToken', tenancy, id(2 * n)),
  {
    ...common,
    name: 'CreateToken',
    data: {
      AccessorID: '',
      SecretID: '',
      Description: 'of web',
      Policies: [{ Name: 'linked' }],
      Roles: [],
      ServiceIdentities: [{ ServiceName: 'web' }],
      NodeIdentities: [],
      Rules: '',
      Local: false,
      AuthMethod: '',
      ExpirationTime: undefined,
      ExpirationTTL: 0,
      newAccessor: id(2 * n),
      newSecret: id(2 * n + 1)
    }
  }
]

const valueOf = n => Buffer.from(`value ${n}`).toString('base64')

const kvPut = n => {
  const key = `services/web/${n % KEYS}`
  const data = { key, value: valueOf(n), flags: '0' }
  return [inNamespace('KV', tenancy, key), { ...common, name: 'SetKey', data }]
}

const transaction = n => {
  const operation = verb => ({
    kind: 'KV',
    input: {
      verb,
      tenancy,
      key: `services/web/${n % KEYS}`,
      value: valueOf(n),
      flags: '0',
      index: 0n,
      session: ''
    }
  })
  const rights = { permits: () => true, may: () => true, denial: () => '' }
  const data = { operations: [operation('set'), operation('get')].map(operationOf), rights }
  return [inCluster('Transaction'), { ...common, name: 'ApplyTransaction', data }]
}

/** Returns the CPU time of `work` in ns per unit of `count`. */
const cost = async (count, work) => {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return ((user + system) * 1000) / count
}

/** Read models with the policy that tokens link to, and the actors above them. */
const begin = async () => {
  const views = new Views(settings)
  const committer = new Committer(new MemoryEventLog(), views)
  const system = new ActorSystem(decisionRules, views, committer)
  const [ref, command] = policyCreate(0)
  await system.ask(ref, { ...command, data: { ...command.data, Name: 'linked' } })
  return { views, committer, system }
}

/** Commands whose IDs no earlier one has. */
const commands = command => Array.from({ length: WRITES }, (_, n) => command(n + 1))

/** Measures a write from the command to its commit in the log. */
const wholeWrite = async command => {
  const { committer, system } = await begin()
  const sent = commands(command)
  const ns = await cost(WRITES, async () => {
    for (let n = 0; n < WRITES;) {
      for (const end = Math.min(n + GROUP, WRITES); n < end; n++) system.send(...sent[n])
      await committer.durable()
    }
  })
  committer.stop()
  return ns
}

/** Measures the decisions alone, with the checks of their events. */
const decision = async command => {
  const { committer, system } = await begin()
  const sent = commands(command)
  const ns = await cost(WRITES, () => {
    for (const each of sent) system.dryRun(...each)
  })
  committer.stop()
  return ns
}

/** Measures how the read models apply the commits, as at a start. */
const application = async command => {
  const { committer, system } = await begin()
  const commits = []
  committer.signals.on('applied', commit => commits.push(commit))
  for (const each of commands(command)) system.send(...each)
  await committer.durable()
  committer.stop()
  const { views } = await begin()
  return cost(WRITES, () => {
    for (const commit of commits) views.apply(commit)
  })
}

const writes = { 'policy create': policyCreate, 'token create': tokenCreate, 'KV put': kvPut, transaction }
for (const [name, command] of Object.entries(writes))
  for (const [part, measure] of Object.entries({ 'whole write': wholeWrite, decision, application })) {
    const rounds = []
    for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(command))
    const [middle, least] = [median(rounds), Math.min(...rounds)].map(Math.round)
    console.log(`${name}, ${part}: ${middle} ns (least ${least} ns)`)
  }
