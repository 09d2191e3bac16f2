import type { Commit, Event, Tenancy } from '../../events/envelope.js'
import {
  isSessionEvent,
  SESSION_TOPIC,
  sessionDefinition,
  type Session,
  type SessionCreated,
  type SessionEvent
} from '../../events/session.js'
import { type Projection, fact, type Fact } from '../projection.js'
import type { TableOverlay } from '../overlay.js'
import { spaceOf, type TableReader } from '../row-table.js'
import { TenancyRows } from '../table-projection.js'
import { resourceViewsOf } from '../definition/resource-views.js'
import { tenancyOf } from '../tenancy-view.js'
import type { Watch } from '../watch.js'

export interface SessionRow {
  readonly session: Session
  readonly tenancy: Tenancy
  readonly json: string
}

type Shared = 'node' | 'check'

/** Nodes belong to a partition, and have any letter case. */
const nodeKey = (partition: string, node: string): string => `${partition}/${node.toLowerCase()}`
const checkKey = (partition: string, node: string, namespace: string, check: string): string =>
  `${nodeKey(partition, node)}/${namespace}/${check.toLowerCase()}`

/** The checks whose end or failure ends the session. Checks of the node are in the namespace `default`. */
const checksOf = ({ session, tenancy: { partition, namespace } }: SessionRow): string[] => [
  ...[...(session.NodeChecks ?? []), ...(session.Checks ?? [])].map(id =>
    checkKey(partition, session.Node, 'default', id)
  ),
  ...(session.ServiceChecks ?? []).map(({ ID, Namespace }) =>
    checkKey(partition, session.Node, Namespace || namespace, ID)
  )
]

const shown = resourceViewsOf(sessionDefinition)

const toRow = (session: Session, tenancy: Tenancy): SessionRow => ({
  session,
  tenancy,
  json: JSON.stringify(shown(session, tenancy))
})

const inOrder = (rows: Iterable<SessionRow>): SessionRow[] =>
  [...rows].toSorted((a, b) => (a.session.ID < b.session.ID ? -1 : 1))

/** The sessions as decisions read them: stored or overlaid. Costs: a look-up O(1), a list its sessions. */
class SessionReader {
  constructor(private readonly rows: TableReader<SessionRow, Shared>) {}

  get(id: string): SessionRow | undefined {
    return this.rows.get(id.toLowerCase())
  }

  /** The sessions on a node, of all namespaces of the partition, by ID. */
  onNode(partition: string, node: string): SessionRow[] {
    return inOrder(this.rows.sharing('node', nodeKey(partition, node)))
  }

  /** The sessions that depend on a check, by ID. `namespace` is that of the check's service, or `default` for a node. */
  onCheck(partition: string, node: string, namespace: string, check: string): SessionRow[] {
    return inOrder(this.rows.sharing('check', checkKey(partition, node, namespace, check)))
  }
}

export type SessionLookup = Pick<SessionReader, 'get' | 'onNode' | 'onCheck'>

export class SessionsOverlay extends SessionReader {
  constructor(private readonly overlaid: TableOverlay<SessionRow, Shared>) {
    super(overlaid)
  }

  apply(event: SessionEvent): void {
    if (event.Type === 'SessionCreated') this.overlaid.put(toRow(event.Payload.Session, tenancyOf(event)))
    else this.overlaid.remove(event.Key)
  }
}

/**
 * Sessions by ID, node and check. Costs: a look-up or change O(1), a list its sessions.
 * Watch keys: `sessions/<partition>/<namespace>` and `sessions/<partition>`.
 */
export class Sessions extends TenancyRows<SessionRow, never, Shared> implements Projection, SessionLookup {
  readonly topics = [SESSION_TOPIC]
  readonly #reader = new SessionReader(this.table)

  constructor(watch: Watch) {
    super(
      watch,
      { plural: 'sessions' },
      {
        key: ({ session }) => session.ID,
        order: ({ session }) => session.ID,
        unique: {},
        multi: { node: ({ session, tenancy }) => [nodeKey(tenancy.partition, session.Node)], check: checksOf }
      }
    )
  }

  get(id: string): SessionRow | undefined {
    return this.#reader.get(id)
  }

  onNode(partition: string, node: string): SessionRow[] {
    return this.#reader.onNode(partition, node)
  }

  onCheck(partition: string, node: string, namespace: string, check: string): SessionRow[] {
    return this.#reader.onCheck(partition, node, namespace, check)
  }

  namespaces(partition: string): string[] {
    return this.table.namespaces(partition)
  }

  overlay(): SessionsOverlay {
    return new SessionsOverlay(this.table.overlay())
  }

  apply(event: Event, commit: Commit): void {
    if (!isSessionEvent(event)) return
    const tenancy = tenancyOf(event)
    if (event.Type === 'SessionCreated') this.table.put(toRow(event.Payload.Session, tenancy), commit.Index)
    else this.table.delete(event.Key, commit.Index)
    this.watch.touch(sessionsWatchKey(tenancy))
    this.watch.touch(`sessions/${tenancy.partition}`)
  }

  override *facts(): Iterable<Fact> {
    for (const row of inOrder(this.table.all())) yield this.factOf(row)
  }

  factOf({ tenancy, session }: SessionRow): Fact {
    return fact<SessionCreated>({
      Topic: SESSION_TOPIC,
      Type: 'SessionCreated',
      Key: session.ID,
      tenancy,
      Index: session.ModifyIndex,
      Payload: { Session: session }
    })
  }
}

export const sessionsWatchKey = (tenancy: Tenancy): string => `sessions/${spaceOf(tenancy)}`
