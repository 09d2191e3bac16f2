// Creates a data folder with many tokens, and services on nodes, for the lists of the UI.
import { join } from 'node:path'
import { SegmentEventLog } from '../dist/events/log/segments/segment-event-log.js'

const BATCH = 1000
const SERVICES_OF_NODE = 100
const NAMES = 2000
/** One of this many checks is `warning`, and one is `critical`. */
const ILL = 50
const TIME = '2026-01-01T00:00:00Z'
const COMMON = { Namespace: 'default', Partition: 'default' }

const id = (kind, n) => `${kind}0000000-0000-4000-8000-${String(n).padStart(12, '0')}`
/** Permutes numbers, so that resources are not created in the order of the list. */
const spread = n => (n * 7919) % 1_000_003
const indexes = Index => ({ CreateIndex: Index, ModifyIndex: Index })

const tokenEvent = (n, index) => ({
  Topic: 'ACLToken',
  Type: 'ACLTokenUpserted',
  Key: id('a', spread(n)),
  ...COMMON,
  FilterKeys: null,
  Payload: {
    ACLToken: {
      AccessorID: id('a', spread(n)),
      SecretID: '',
      Description: `Deploys of service ${n % 5000}, number ${n}`,
      Policies: [{ ID: id('b', n % 50), Name: `policy-${n % 50}` }],
      Roles: [],
      ServiceIdentities: [],
      NodeIdentities: [],
      Local: false,
      AuthMethod: '',
      CreateTime: TIME,
      Hash: 'x'.repeat(44),
      ...indexes(index)
    }
  },
  Secrets: { SecretID: id('c', n) }
})

const nodeEvent = (n, index) => ({
  Topic: 'Node',
  Type: 'NodeRegistration',
  Key: id('d', n),
  Namespace: '',
  Partition: 'default',
  FilterKeys: [`node-${n}`],
  Payload: {
    Node: {
      ID: id('d', n),
      Name: `node-${n}`,
      Datacenter: 'dc1',
      Address: '10.0.0.1',
      TaggedAddresses: { lan: '10.0.0.1' },
      Meta: {},
      RegisteredAt: TIME,
      Status: 'ready',
      StatusUpdatedAt: 1_767_225_600,
      SchedulingEligibility: 'eligible',
      Partition: 'default',
      ...indexes(index)
    }
  }
})

const serviceEvent = (n, name, node, index) => ({
  Topic: 'Service',
  Type: 'ServiceRegistration',
  Key: `service-${spread(n)}`,
  ...COMMON,
  FilterKeys: [name, `node-${node}`, id('d', node)],
  Payload: {
    Service: {
      ID: `service-${spread(n)}`,
      ServiceName: name,
      Namespace: 'default',
      NodeID: id('d', node),
      Datacenter: 'dc1',
      Tags: [`v${n % 7}`],
      Address: '10.0.0.1',
      Port: 8000 + (n % 1000),
      Node: `node-${node}`,
      Kind: '',
      ServiceAddress: '',
      TaggedAddresses: null,
      SocketPath: '',
      Meta: {},
      Weights: { Passing: 1, Warning: 1 },
      EnableTagOverride: false,
      Proxy: { Mode: '', MeshGateway: {}, Expose: {} },
      Connect: {},
      Partition: 'default',
      ...indexes(index)
    }
  }
})

const checkEvent = (n, name, node, index) => ({
  Topic: 'Check',
  Type: 'CheckRegistration',
  Key: `alive-${spread(n)}`,
  ...COMMON,
  FilterKeys: [`node-${node}`, `service-${spread(n)}`, name],
  Payload: {
    Check: {
      Node: `node-${node}`,
      CheckID: `alive-${spread(n)}`,
      Name: `service ${spread(n)} is alive`,
      Status: ['warning', 'critical'][n % ILL] ?? 'passing',
      Notes: '',
      Output: `answered in ${n % 100} ms`,
      ServiceID: `service-${spread(n)}`,
      ServiceName: name,
      ServiceTags: [`v${n % 7}`],
      Type: 'ttl',
      Interval: '',
      Timeout: '',
      ExposedPort: 0,
      Definition: {},
      Namespace: 'default',
      Partition: 'default',
      ...indexes(index)
    }
  }
})

function* eventsOf({ tokens = 0, services, checks = 0, onNode = SERVICES_OF_NODE, nameOf }) {
  let index = 0
  for (let n = 0; n < tokens; n++) yield tokenEvent(n, ++index)
  for (let n = 0; n < services; n++) {
    const node = Math.floor(n / onNode)
    if (n % onNode === 0) yield nodeEvent(node, ++index)
    const name = nameOf?.(n) ?? `service-${n % NAMES}`
    yield serviceEvent(n, name, node, ++index)
    if (n % (services / checks) < 1) yield checkEvent(n, name, node, ++index)
  }
}

const commit = (Index, event) => ({
  Index,
  Time: TIME,
  By: { AccessorID: '', Address: '127.0.0.1', RequestID: 'bench', Command: 'Import' },
  Events: [event]
})

/**
 * @param made.services number of instances @param made.onNode number of instances per node
 * @param made.checks number of instances with a check @param made.nameOf returns the service of an instance by its number
 */
export async function makeUiLog(dataDir, made) {
  const log = await SegmentEventLog.open({ path: join(dataDir, 'log') })
  let index = 0
  let batch = []
  for (const event of eventsOf(made)) {
    batch.push(commit(++index, event))
    if (batch.length < BATCH) continue
    await log.append(batch)
    batch = []
  }
  if (batch.length > 0) await log.append(batch)
  await log.close()
}
