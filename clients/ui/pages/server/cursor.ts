// A cursor of the event stream, as the API shows it, and what can be done with it.
import type { Connection } from '../../../typescript/connection.js'
import { reasonHeaders } from '../../session/reason.js'

export interface Cursor {
  readonly Name: string
  readonly Topics: readonly string[]
  readonly Types?: readonly string[]
  readonly Filter?: string
  readonly Namespace: string
  readonly Partition: string
  readonly Index: number
  readonly Owner: string
  readonly Lease: string
  readonly MovedAt: string
  readonly ClampedFrom?: number
  readonly LagCommits?: number
  readonly LagSeconds?: number
  /** Of a webhook, as the rest. */
  readonly URL?: string
  readonly DeadLetters?: number
  readonly LastDeadLetter?: {
    readonly From: number
    readonly To: number
    readonly Reason: string
    readonly At: string
  }
  readonly Disabled?: string
  readonly Delivery?: {
    readonly State: string
    readonly Attempts: number
    readonly NextAttemptAt?: string
    readonly LastError?: string
    readonly LastErrorAt?: string
    readonly LastDeliveredAt?: string
  }
}

const pathOf = ({ Name }: Cursor): string => `/v1/event/cursor/${encodeURIComponent(Name)}`

/** @throws RequestRefused, and Error when it stands elsewhere meanwhile */
export const moveCursor = async (
  connection: Connection,
  cursor: Cursor,
  index: number,
  reason: string
): Promise<void> => {
  const answer = await connection.request('PUT', pathOf(cursor), {
    query: { cas: cursor.Index },
    body: { Index: index },
    headers: reasonHeaders(reason)
  })
  if (!(await answer.json<boolean>()))
    throw new Error(`${cursor.Name} does not stand at ${cursor.Index} any more: its reader has moved it`)
}

/** @throws RequestRefused */
export const deleteCursor = async (connection: Connection, cursor: Cursor, reason: string): Promise<void> => {
  await connection.request('DELETE', pathOf(cursor), { headers: reasonHeaders(reason) })
}

/** Has a webhook that was disabled send again: it is put as it is, and keeps its place and secret. @throws RequestRefused */
export const enableWebhook = async (
  connection: Connection,
  cursor: Cursor,
  reason: string
): Promise<void> => {
  const { Topics, Types, Filter, Namespace, Partition, Lease, URL } = cursor
  const body = { Topics, Types, Filter, Namespace, Partition, Lease, URL }
  await connection.request('PUT', pathOf(cursor), { body, headers: reasonHeaders(reason) })
}
