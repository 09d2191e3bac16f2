// What runs on the simulated machines: three servers over one simulated etcd, and one in another datacenter.
import { startClusteredServer } from '../../server/cluster/members/clustered-server.js'
import { startWithWorkers } from '../../server/cluster/workers/start-with-workers.js'
import { openLog } from '../../server/open-log.js'
import { startServer } from '../../server/running-server.js'
import { dataDirOf, type Installation } from './machine.js'

/** Secret of the initial management token. */
export const ROOT = 'b1a6c7de-3c5a-4f0e-9d39-7d0c1a8f2e55'
const KEY = Buffer.alloc(32, 7).toString('base64')
const FIRST_PORT = 8501
const SECONDARY_PORT = 8601
/** Of the secondary datacenter. */
export const SECONDARY = 'dc2'
/** The commits after which a server writes a snapshot. */
const SNAPSHOT_COMMITS = 100
/** The commits that a server keeps at least. */
const RETAIN = { retain: { commits: 100 } }

/** The configuration that all servers share. */
export const configOf = (name: string, number: number, port: number) => ({
  node_name: name,
  node_id: `00000000-0000-4000-8000-00000000000${number}`,
  data_dir: dataDirOf(name),
  bind: '127.0.0.1',
  ports: { http: port, dns: -1 },
  log: { level: 'silent' },
  encryption: { key: KEY },
  replication: { key: KEY },
  snapshot: { commits: SNAPSHOT_COMMITS },
  outgoing: { allow: ['127.0.0.0/8'] },
  webhook: { attempts: 1000, timeout: '5s', retry_max: '5s' },
  acl: { enabled: true, default_policy: 'deny', tokens: { initial_management: ROOT } },
  primary_datacenter: 'dc1'
})

/** What servers have in some simulations only. */
export interface ServerForm {
  /** They do not retain all commits. */
  readonly prunes: boolean
  /** Number of workers of each. */
  readonly workers: number
}

/** Returns a member of the cluster in the primary datacenter. */
export const memberOf = (number: number, { prunes, workers }: ServerForm): Installation => {
  const [name, port] = [`server-${number + 1}`, FIRST_PORT + number]
  const config = configOf(name, number, port)
  return {
    name,
    port,
    config: {
      ...config,
      workers,
      log: { ...config.log, ...(prunes ? RETAIN : {}) },
      datacenters: { [SECONDARY]: { url: `http://127.0.0.1:${SECONDARY_PORT}` } },
      cluster: { enabled: true, secret: KEY, etcd: { endpoints: ['http://etcd:2379'] } }
    },
    begin: (live, fatal) =>
      (workers > 0 ? startWithWorkers : startClusteredServer)(live, { report: () => {}, fatal })
  }
}

/** Returns the server of the secondary datacenter, which asks the first member about tokens. */
export const secondaryServer = ({ workers }: ServerForm): Installation => ({
  name: SECONDARY,
  port: SECONDARY_PORT,
  config: {
    ...configOf(SECONDARY, 9, SECONDARY_PORT),
    workers,
    log: { level: 'silent', ...RETAIN },
    datacenter: SECONDARY,
    datacenters: { dc1: { url: `http://127.0.0.1:${FIRST_PORT}` } }
  },
  begin: async (live, fatal) => {
    const options = { report: () => {}, fatal }
    if (workers > 0) return startWithWorkers(live, options)
    return startServer(live, await openLog(live.current, options))
  }
})
