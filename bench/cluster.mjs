// The costs of three servers over etcd, compared with a single server: writes, default reads of a follower, CPU time of all processes,
// without load too, the delay of followers, and the write outage after the leader is killed, stopped or suspended (not with `--no-faults`).
// See bench/README.md.
import 'reflect-metadata'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { annalsServer } from '../dist/test/cluster/annals-server.js'
import { loopbackCluster, startServers } from '../dist/test/cluster/cluster.js'
import { loopbackMachines } from '../dist/test/cluster/machines/loopback.js'
import { startWorkload } from '../dist/test/cluster/workload.js'
import { send } from '../dist/test/support/client.js'
import { ROOT } from '../dist/test/support/server.js'
import { openStream } from '../dist/test/support/stream.js'
import { Helper } from './helper.mjs'
import { cpuOf, scoped } from './measuring.mjs'
import { usePinnedNode } from './pinned.mjs'
import { median, percentile, roundText, targetText } from './statistics.mjs'

usePinnedNode()

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    'warm-up': { type: 'string', default: '15' },
    faults: { type: 'boolean', default: true }
  },
  allowNegative: true
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const warmUp = Number(values['warm-up'])

/** Of CPU a write in ms, and of the rest in ms: see bench/README.md. */
const TARGETS = { cpu: 0.35, lag: 15, killed: 2500, stopped: 500, suspended: 3500 }
const [WRITES, READS] = ['kv-put.mjs', 'scenarios/kv-get.mjs']
const LAG_SAMPLES = 400
const IDLE_MS = 10_000

const usedBy = kinds => Object.values(kinds).map(pids => pids.map(cpuOf).reduce((sum, ms) => sum + ms, 0))

const ask = (client, port, scenario, prefix, limit) =>
  client.ask({
    scenario: join(import.meta.dirname, scenario),
    context: { root: ROOT, prefix },
    port,
    connections: 64,
    ...limit
  })

/** Requests on several connections to one server; `cpu` is the CPU time per request of each kind of process, in ms. */
const load = async (client, port, connections, kinds, prefix, duration = seconds, scenario = WRITES) => {
  const before = usedBy(kinds)
  const result = await ask(client, port, scenario, prefix, { connections, seconds: duration })
  return { ...result, cpu: usedBy(kinds).map((now, at) => (now - before[at]) / result.requests) }
}

/** Default reads on 64 connections; those of a follower show what was acknowledged before they began. */
const reads = async (client, port, kinds) => {
  await ask(client, port, WRITES, 'bench', { count: 1000 })
  await load(client, port, 64, kinds, '', warmUp / 3, READS)
  const list = []
  for (let round = 0; round < rounds; round++)
    list.push(await load(client, port, 64, kinds, '', seconds, READS))
  return medians(list)
}

/** Returns the CPU time of each process of a kind without load, in percent of one core. */
const idle = async kinds => {
  const before = usedBy(kinds)
  await pause(IDLE_MS)
  return Object.values(kinds).map(
    (pids, at) => ((usedBy(kinds)[at] - before[at]) / IDLE_MS / pids.length) * 100
  )
}

const medians = list => ({
  rate: median(list.map(({ rate }) => rate)),
  p50: median(list.map(({ p50 }) => p50)),
  p99: median(list.map(({ p99 }) => p99)),
  cpu: list[0].cpu.map((_, kind) => median(list.map(({ cpu }) => cpu[kind])))
})

const total = cpu => cpu.reduce((sum, ms) => sum + ms, 0)

const line = (title, { cpu, ...round }, what = 'write') => {
  const [leader, followers, etcd] = cpu.map(ms => ms.toFixed(3))
  const parts = etcd === undefined ? '' : `: leader ${leader}, followers ${followers}, etcd ${etcd}`
  return `${title.padEnd(44)} ${roundText(round)}  ${total(cpu).toFixed(3)} ms CPU a ${what}${parts}`
}

const ratio = (cluster, alone) =>
  `${''.padEnd(44)} ${(cluster.rate / alone.rate).toFixed(2)} of one server's rate, ${(cluster.p50 / alone.p50).toFixed(1)} times its p50`

const pidsOf = ({ servers, etcd }, leader) => ({
  leader: [leader.pid],
  followers: servers.filter(server => server !== leader).map(({ pid }) => pid),
  etcd: etcd.members.map(({ pid }) => pid)
})

/** Returns the delay in ms from the response to a write until a follower's stream has it; 0 if the stream was earlier. */
const lagOf = async (leader, follower) => {
  const stream = await openStream(follower.base, 'topic=KV&index=0', { token: ROOT })
  const arrived = new Map()
  const life = { over: false }
  const reading = (async () => {
    while (!life.over) {
      const { Index } = await stream.message()
      if (Index !== undefined) arrived.set(Index, performance.now())
    }
  })().catch(() => undefined)
  const lags = []
  for (let i = 0; i < LAG_SAMPLES; i++) {
    const { headers } = await send(leader.base, 'PUT', `/v1/kv/lag/${i}`, { token: ROOT, body: 'x' })
    const answered = performance.now()
    const index = Number(headers['x-service-index'])
    while (!arrived.has(index)) await pause(1)
    lags.push(Math.max(0, arrived.get(index) - answered))
    arrived.delete(index)
  }
  life.over = true
  stream.close()
  await reading
  return lags.toSorted((one, other) => one - other)
}

/** Returns the longest time in ms without an acknowledged write during a leader failure, for each round. */
const pauses = async (cluster, doTo, undo = server => server.start()) => {
  const list = []
  for (let round = 0; round < rounds; round++) {
    const leader = await cluster.leader()
    const rest = cluster.servers.filter(server => server !== leader)
    const work = startWorkload({
      bases: () => rest.map(({ base }) => base),
      clients: 4,
      prefix: `p${round}-${Math.random()}`
    })
    await work.acknowledges(100)
    await doTo(leader)
    await cluster.leader(rest)
    await work.acknowledges(100)
    await work.stop()
    list.push(work.longestPause())
    undo(leader)
    await leader.ready()
    await cluster.settled()
  }
  return list
}

const cluster = (members, prefix) =>
  scoped(async scope => {
    const client = new Helper(scope, 'client.mjs')
    const made = await loopbackCluster(scope, { members, gates: false })
    await startServers(made)
    const leader = await made.leader()
    const [follower] = made.servers.filter(server => server !== leader)
    const figures = {}
    // Excludes the compilation of code that runs for the first time.
    for (const { port } of [leader, follower])
      await load(client, port, 64, pidsOf(made, leader), `${prefix}-first-${port}`, warmUp)
    for (const connections of [64, 1]) {
      const [direct, passedOn] = [[], []]
      for (let round = 0; round < rounds; round++) {
        direct.push(
          await load(
            client,
            leader.port,
            connections,
            pidsOf(made, leader),
            `${prefix}-${connections}-${round}`
          )
        )
        passedOn.push(
          await load(
            client,
            follower.port,
            connections,
            pidsOf(made, leader),
            `${prefix}-f${connections}-${round}`
          )
        )
      }
      figures[connections] = { direct: medians(direct), passedOn: medians(passedOn) }
    }
    await made.settled()
    figures.lag = await lagOf(leader, follower)
    figures.reads = await reads(client, follower.port, pidsOf(made, leader))
    figures.idle = await idle(pidsOf(made, leader))
    if (members > 1 && values.faults) {
      figures.killed = await pauses(made, server => server.kill())
      figures.stopped = await pauses(made, server => server.stop())
      const wake = server => server.signal('SIGCONT')
      figures.suspended = await pauses(made, server => server.signal('SIGSTOP'), wake)
    }
    return figures
  })

const alone = await scoped(async scope => {
  const client = new Helper(scope, 'client.mjs')
  const [machine] = loopbackMachines(1)
  const server = await annalsServer(scope, { machine, name: 'server-1' })
  server.start()
  await server.ready()
  const figures = {}
  await load(client, server.port, 64, {}, 'a-first', warmUp)
  for (const connections of [64, 1]) {
    const list = []
    for (let round = 0; round < rounds; round++)
      list.push(
        await load(client, server.port, connections, { alone: [server.pid] }, `a-${connections}-${round}`)
      )
    figures[connections] = medians(list)
  }
  figures.reads = await reads(client, server.port, { alone: [server.pid] })
  return figures
})

console.log(
  `Node ${process.version}; medians of ${rounds} rounds of ${seconds} s after ${warmUp} s; load ${readFileSync('/proc/loadavg', 'utf8').slice(0, 14)}\n`
)
for (const connections of [64, 1])
  console.log(line(`one server alone, ${connections} connections`, alone[connections]))
console.log(line('one server alone, 64 connections', alone.reads, 'read'))
for (const members of [3, 1]) {
  const figures = await cluster(members, `c${members}`)
  const name = `three servers, ${members} member${members > 1 ? 's' : ''} of etcd`
  for (const connections of [64, 1]) {
    const { direct, passedOn } = figures[connections]
    console.log(line(`${name}, ${connections} to the leader`, direct))
    console.log(
      ratio(direct, alone[connections]) +
        (connections === 64 ? targetText(total(direct.cpu), TARGETS.cpu, false) : '')
    )
    console.log(line(`${name}, ${connections} to a follower`, passedOn))
  }
  const [p50, p99] = [percentile(figures.lag, 0.5), percentile(figures.lag, 0.99)]
  console.log(
    `${name}: a follower has a write ${p50.toFixed(1)} ms (p50), ${p99.toFixed(1)} ms (p99) after its answer${targetText(p99, TARGETS.lag, false)}`
  )
  console.log(line(`${name}, 64 to a follower`, figures.reads, 'read'))
  console.log(
    `${''.padEnd(44)} ${(total(figures.reads.cpu) / total(alone.reads.cpu)).toFixed(1)} times the CPU of one server's`
  )
  const [leads, follows, etcd] = figures.idle.map(percent => percent.toFixed(1))
  console.log(
    `${name}, without load: leader ${leads} % of a core, follower ${follows} %, member of etcd ${etcd} %`
  )
  if (figures.killed === undefined) continue
  for (const what of ['killed', 'stopped', 'suspended']) {
    const list = figures[what]
    const without = list.map(ms => Math.round(ms)).join(', ')
    console.log(
      `the leader is ${what}: ${without} ms without writes${targetText(Math.max(...list), TARGETS[what], false)}`
    )
  }
}
