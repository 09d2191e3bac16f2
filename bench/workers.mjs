// The gain of workers: reads of a server with workers compared with a single process, in alternating rounds, with an efficient load client
// on one core, and the CPU time per read of each process. See bench/README.md.
import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { until } from '../dist/test/support/wait.js'
import { alternate } from './compare.mjs'
import { childrenOf, cpuOf, scoped, writesOf } from './measuring.mjs'
import { usePinnedNode } from './pinned.mjs'
import { startBenched } from './server.mjs'
import { median, targetText } from './statistics.mjs'

usePinnedNode()

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
    workers: { type: 'string', default: '1' }
  }
})
const [rounds, seconds, connections, workers] = [
  values.rounds,
  values.seconds,
  values.connections,
  values.workers
].map(Number)

const SCENARIOS = ['kv-get', 'token-read', 'health-service']
/** Limit of the CPU time per read in a worker, compared with one process. */
const TARGET = 1.1

/** Runs one round on the last core: requests per second, and CPU time per request in µs, of the main process and of its workers. */
const load = ({ base, pid }, { path, token }) => {
  const core = String(availableParallelism() - 1)
  const processes = [pid, ...childrenOf(pid)]
  const before = processes.map(one => ({ cpu: cpuOf(one), writes: writesOf(one) }))
  const wrk = [
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '-H',
    `X-Service-Token: ${token}`,
    base + path
  ]
  const { stdout, error, status } = spawnSync('taskset', ['-c', core, ...wrk], { encoding: 'utf8' })
  if (error) throw error
  if (status !== 0 || stdout.includes('Non-2xx')) throw new Error(stdout)
  const requests = Number(/(\d+) requests in/.exec(stdout)[1])
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)[1])
  const [main, ...others] = processes.map((one, i) => ({
    cpu: cpuOf(one) - before[i].cpu,
    writes: writesOf(one) - before[i].writes
  }))
  const writes = [main, ...others].reduce((sum, one) => sum + one.writes, 0)
  const perRequest = list => {
    const [cpu, answered] = ['cpu', 'writes'].map(field => list.reduce((sum, one) => sum + one[field], 0))
    return (cpu * 1000) / (requests * (answered / writes))
  }
  return { rate, cpu: perRequest([main]), workerCpu: perRequest(others) }
}

/** Starts a server with so many workers, filled for a scenario, and returns the request to send. */
const prepared = async (scope, scenario, count) => {
  const server = await startBenched(scope, { config: { workers: count } })
  await until('the workers listen', () => server.log().split('a worker is listening').length - 1 === count)
  return { server, request: scenario.request(0, await scenario.prepare(server)) }
}

const shown = (name, results) => {
  const [rate, cpu, workerCpu] = ['rate', 'cpu', 'workerCpu'].map(field =>
    median(results.map(result => result[field]))
  )
  const ofWorkers = Number.isNaN(workerCpu)
    ? ''
    : ` in the main process, ${workerCpu.toFixed(1)} µs in workers`
  return `${name} ${Math.round(rate).toLocaleString('en')}/s, ${cpu.toFixed(1)} µs${ofWorkers}`
}

for (const name of SCENARIOS)
  await scoped(async scope => {
    const { scenario } = await import(`./scenarios/${name}.mjs`)
    const alone = await prepared(scope, scenario, 0)
    const shared = await prepared(scope, scenario, workers)
    const results = await alternate(rounds, [
      ['alone', async () => load(alone.server, alone.request)],
      ['shared', async () => load(shared.server, shared.request)]
    ])
    const ratioOf = (field, base) =>
      median(results.shared.map((result, round) => result[field] / results.alone[round][base]))
    const [rateRatio, cpuRatio] = [ratioOf('rate', 'rate'), ratioOf('workerCpu', 'cpu')]
    const parts = [shown('one process', results.alone), shown(`with ${workers}`, results.shared)]
    console.log(
      `${name.padEnd(14)} ${parts.join('  ')}  rate ratio ${rateRatio.toFixed(2)}  CPU ratio ${cpuRatio.toFixed(2)}${targetText(cpuRatio, TARGET, false)}`
    )
  })
