// Random commands on all aggregates, whose names, keys and tenancies meet often.
import fc from 'fast-check'
import { accessAggregate } from '../../actors/access.js'
import { autopilotAggregate, clusterAggregate } from '../../actors/cluster.js'
import { catalogAggregate } from '../../actors/catalog/catalog.js'
import { configEntryAggregate } from '../../actors/config-entry/config-entry.js'
import { coordinateAggregate } from '../../actors/coordinate.js'
import { kvAggregate } from '../../actors/kv.js'
import { legalHoldAggregate } from '../../actors/legal-hold.js'
import { namespaceAggregate } from '../../actors/namespace.js'
import { partitionAggregate } from '../../actors/partition.js'
import { policyAggregate } from '../../actors/policy.js'
import { policyProposalAggregate } from '../../actors/policy-proposal.js'
import { queryAggregate } from '../../actors/query.js'
import { idempotentResponsesAggregate, retentionAggregate } from '../../actors/retention.js'
import { erasureAggregate } from '../../actors/erasure/erasure.js'
import { snapshotAggregate } from '../../actors/snapshot/restore-snapshot.js'
import { sessionAggregate } from '../../actors/session.js'
import { tokenAggregate } from '../../actors/token.js'
import { DEFAULT_TENANCY, type Tenancy } from '../../events/envelope.js'
import { entry as chainEntry } from '../projections/chain/arbitrary-entries.js'
import { proxyDefaults } from '../projections/chain/chain-entries.js'
import { checkInput, nodeInput, serviceInput } from '../support/catalog.js'
import { queryInput } from '../support/queries.js'
import { arbitraryCommand as aclCommand } from './arbitrary-commands.js'
import { cursorMoves } from './arbitrary-cursor-moves.js'
import { loginMoves } from './arbitrary-login-moves.js'
import { move, type Move } from './arbitrary-move.js'
import { replicationMoves } from './arbitrary-replication-moves.js'
import { id } from './acl-resources.js'

export const SPACES: readonly Tenancy[] = [
  DEFAULT_TENANCY,
  { partition: 'default', namespace: 'a' },
  { partition: 'p', namespace: 'default' }
]
const nothing = fc.constant(null)
const key = fc.constantFrom('a', 'a/b', 'a/bc', 'a/b/c', 'ä/\u{1f600}', 'b', 'b/x', 'b/y')
const number = fc.nat(3)
const session = fc.nat(1).map(n => id(400 + n))
const node = fc.constantFrom('n', 'N', 'n', 'm', 'far')
const service = fc.constantFrom('web', 'Web', 'api')
const status = fc.constantFrom('passing', 'warning', 'critical')
const value = fc.constantFrom(null, 'YQ==', 'Yg==')
const defaults = fc.constantFrom('http', 'tcp').map(protocol => proxyDefaults({ protocol }))

export const moves: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.oneof(
      move(fc.tuple(key, value), kvAggregate, ([at, content], parts) => ({
        ...parts,
        name: 'SetKey' as const,
        data: { key: at, value: content, flags: '18446744073709551615' }
      })),
      move(fc.tuple(key, value, session), kvAggregate, ([at, content, by], parts) => ({
        ...parts,
        name: 'LockKey' as const,
        data: { key: at, value: content, flags: '0', session: by }
      })),
      move(key, kvAggregate, (at, parts) => ({ ...parts, name: 'DeleteKey' as const, data: { key: at } })),
      move(key, kvAggregate, (prefix, parts) => ({
        ...parts,
        name: 'DeleteKeyTree' as const,
        data: { prefix }
      })),
      move(fc.tuple(session, node, fc.boolean()), sessionAggregate, ([newId, Node, isFree], parts) => ({
        ...parts,
        name: 'CreateSession' as const,
        data: {
          newId,
          Node,
          Name: '',
          LockDelay: isFree ? 0 : 15e9,
          Behavior: isFree ? ('delete' as const) : ('release' as const),
          TTL: '',
          NodeChecks: [],
          ServiceChecks: null,
          Checks: []
        }
      })),
      move(session, sessionAggregate, (of, parts) => ({
        ...parts,
        name: 'DestroySession' as const,
        data: { id: of }
      }))
    )
  },
  {
    weight: 3,
    arbitrary: fc.oneof(
      move(
        fc.tuple(node, service, number, status),
        catalogAggregate,
        ([Node, Service, n, Status], parts) => ({
          ...parts,
          name: 'Register' as const,
          data: {
            node: nodeInput(Node, { ID: Node === 'far' ? '' : id(500 + n), Address: `10.0.0.${n}` }),
            skipNodeUpdate: n === 0,
            service: serviceInput(Service, {
              ID: n > 1 ? 'one' : Service,
              Address: n === 1 ? '10.1.0.1' : '',
              Connect: { Native: n === 2 },
              Tags: ['x']
            }),
            serviceNamespace: undefined,
            checks: [
              { input: checkInput(Node, 'own', { Status }), namespace: undefined },
              {
                input: checkInput(Node, 'of', {
                  Status,
                  ServiceID: n > 1 ? 'one' : Service,
                  Definition: { Header: { Authorization: ['secret'] } }
                }),
                namespace: undefined
              }
            ].slice(n % 3)
          }
        })
      ),
      move(fc.tuple(node, service, number), catalogAggregate, ([Node, serviceId, n], parts) => ({
        ...parts,
        name: 'Deregister' as const,
        data: {
          node: Node,
          serviceId: n === 1 ? serviceId : n === 2 ? 'one' : '',
          checkId: n === 3 ? 'own' : ''
        }
      })),
      move(fc.tuple(node, number), coordinateAggregate, ([Node, n], parts) => ({
        ...parts,
        name: 'UpdateCoordinates' as const,
        data: {
          updates: [
            {
              partition: parts.tenancy.partition,
              coordinate: {
                Node,
                Segment: n === 0 ? '' : 's',
                Coord: { Vec: [n, 0, 0, 0, 0, 0, 0, 0], Error: 1, Adjustment: 0, Height: 0 }
              }
            }
          ]
        }
      }))
    )
  },
  {
    weight: 5,
    arbitrary: move(
      fc.tuple(fc.oneof(chainEntry, defaults), fc.nat(4)),
      configEntryAggregate,
      ([content, n], parts) => {
        if (n > 1) return { ...parts, name: 'SetConfigEntry' as const, data: { content, cas: undefined } }
        const data = { kind: content.Kind, name: content.Kind === 'mesh' ? 'mesh' : content.Name }
        return n === 0
          ? { ...parts, name: 'DeleteConfigEntry' as const, data: { ...data, cas: undefined } }
          : { ...parts, name: 'RemoveConfigEntry' as const, data }
      }
    )
  },
  move(fc.tuple(number, service, session), queryAggregate, ([n, Name, Session], parts) => ({
    ...parts,
    name: 'CreateQuery' as const,
    data: {
      newId: id(600 + n),
      query: queryInput({
        Name: n === 0 ? '' : Name,
        Session: n === 1 ? Session : '',
        Token: n === 2 ? 'secret' : '',
        Template: n === 3 ? { Type: 'name_prefix_match' } : {}
      })
    }
  })),
  move(number, queryAggregate, (n, parts) => ({
    ...parts,
    name: 'DeleteQuery' as const,
    data: { id: id(600 + n) }
  })),
  ...cursorMoves,
  ...replicationMoves,
  move(number, autopilotAggregate, (n, parts) => ({
    ...parts,
    name: 'SetAutopilot' as const,
    data: {
      settings: {
        CleanupDeadServers: n === 0,
        LastContactThreshold: 2e8,
        MaxTrailingLogs: n,
        MinQuorum: 0,
        ServerStabilizationTime: 1e10,
        RedundancyZoneTag: '',
        DisableUpgradeMigration: false,
        UpgradeVersionTag: ''
      },
      cas: undefined
    }
  })),
  move(number, snapshotAggregate, (n, parts) =>
    n > 0
      ? { ...parts, name: 'RestoreSnapshot' as const, data: { Digest: `${n}`, SnapshotIndex: n } }
      : { ...parts, name: 'EndSnapshotRestore' as const, data: { isComplete: true } }
  ),
  ...loginMoves,
  move(nothing, namespaceAggregate, (_, parts) => ({
    ...parts,
    name: 'SetNamespace' as const,
    data: { Description: '', ACLs: undefined, Meta: {}, newPolicyId: id(250) }
  })),
  move(nothing, namespaceAggregate, (_, parts) => ({
    ...parts,
    name: 'DeleteNamespace' as const,
    data: null
  })),
  move(nothing, partitionAggregate, (_, parts) => ({
    ...parts,
    name: 'SetPartition' as const,
    data: { Description: '', DisableGossip: true }
  })),
  move(fc.constant(id(900)), clusterAggregate, (newId, parts) => ({
    ...parts,
    name: 'IdentifyCluster' as const,
    data: { newId }
  })),
  move(fc.tuple(number, number), retentionAggregate, ([n, base], parts) => ({
    ...parts,
    name: 'RetainLog' as const,
    data: { Index: n + 1, Base: String(base).repeat(64) }
  })),
  move(number, idempotentResponsesAggregate, (n, parts) => ({
    ...parts,
    name: 'ForgetAnswers' as const,
    data: { upTo: 10 * n }
  })),
  move(number, erasureAggregate, (n, parts) => ({
    ...parts,
    name: 'EraseHistory' as const,
    data: { erasure: { Part: 'who' as const, Accessor: id(n), UpTo: 0 }, checkedHolds: 0 }
  })),
  move(number, policyProposalAggregate, (n, parts) => ({
    ...parts,
    name: 'ProposePolicy' as const,
    data: {
      Name: `proposed-${n}`,
      Description: '',
      Rules: '',
      Datacenters: undefined,
      ExpirationTime: '',
      id: id(200 + n)
    }
  })),
  move(number, legalHoldAggregate, (n, parts) => ({
    ...parts,
    caller: { ...parts.caller, reason: 'a request' },
    name: 'PlaceHold' as const,
    data: { name: `case-${n}`, Topics: ['KV:a/'], Namespace: '*', Partition: '*', From: '', Until: '' }
  })),
  move(number, legalHoldAggregate, (n, parts) => ({
    ...parts,
    caller: { ...parts.caller, reason: 'it is over' },
    name: 'LiftHold' as const,
    data: { name: `case-${n}` }
  })),
  move(number, accessAggregate, (n, parts) => ({
    ...parts,
    name: 'Bootstrap' as const,
    data: { newAccessor: id(100 + n), newSecret: id(150 + n), resetIndex: undefined }
  })),
  {
    weight: 3,
    arbitrary: aclCommand.map(
      (given): Move =>
        (ask, parts) =>
          given.kind === 'token'
            ? ask(tokenAggregate, { ...parts, ...given })
            : ask(policyAggregate, { ...parts, ...given })
    )
  }
)
