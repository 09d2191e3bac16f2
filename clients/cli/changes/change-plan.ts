// The plan of the changes that make a server equal to declarations.
import { stringify } from 'lossless-json'
import { isObject } from '../../../events/values.js'
import { parseExact } from '../../exact-json.js'
import type { Schemas } from '../../typescript/typed/index.js'
import { UsageError, Failed } from '../console.js'
import type { Run } from '../remote/command.js'
import type { Change, Declaration } from './declarations.js'

export type Outcome = Schemas['ChangeSetOutcome']
export type ChangeOutcome = Outcome['Changes'][number]

const VERSION = 1

export interface ChangePlan {
  readonly Version: typeof VERSION
  /** Of the change set. A repetition with the same ID is answered from the stored responses. */
  readonly ID: string
  readonly Owner?: string
  readonly Reason?: string
  /** Largest number of changes in one commit. */
  readonly Limit: number
  /** In an order in which each can be made after those before it. */
  readonly Steps: readonly Declaration[]
}

interface PlanOptions {
  readonly owner?: string | undefined
  readonly prune?: boolean
  /** Requests the rights that tokens gain and lose. */
  readonly impact?: boolean
}

/** Sends a change set. @throws RequestRefused, Unreachable */
export const sendChanges = async (
  send: Run['send'],
  body: object,
  { headers = {}, ...sending }: NonNullable<Parameters<Run['send']>[2]> = {}
): Promise<Outcome> => {
  const answer = await send('POST', '/v1/changes', {
    ...sending,
    body: stringify(body),
    headers: { ...headers, 'Content-Type': 'application/json' }
  })
  return answer.json<Outcome>()
}

/** Returns the outcome of a dry run. @throws RequestRefused, Unreachable */
export const dryRun = (
  send: Run['send'],
  declarations: readonly Declaration[],
  { owner, prune, impact }: PlanOptions
): Promise<Outcome> =>
  sendChanges(
    send,
    { Owner: owner, ...(prune ? { Prune: true } : {}), Changes: declarations.map(({ change }) => change) },
    { query: { 'dry-run': true, ...(impact ? { impact } : {}) } }
  )

/** @throws Failed for a refused change */
export const refuseRefused = ({ Changes }: Outcome): void => {
  const refused = Changes.filter(({ Refusal }) => Refusal)
  if (refused.length > 0)
    throw new Failed(
      `the server would refuse ${refused.map(({ Kind, Name }) => `${Kind} ${Name}`).join(', ')}`
    )
}

/** Returns the changes of a dry run with the index that each resource must still have. */
export const planOf = (
  { ID, Owner, Limit, Changes }: Outcome,
  declarations: readonly Declaration[],
  reason: string | undefined
): ChangePlan => ({
  Version: VERSION,
  ID,
  ...(Owner === undefined ? {} : { Owner }),
  ...(reason === undefined ? {} : { Reason: reason }),
  Limit,
  Steps: Changes.filter(({ Action }) => Action !== 'none').map(outcome => stepOf(outcome, declarations))
})

const stepOf = (
  { Kind, Name, Namespace, Partition, Index, Position }: ChangeOutcome,
  declarations: readonly Declaration[]
): Declaration => {
  const declared = Position === undefined ? undefined : declarations[Position]
  const named: Change = {
    Kind,
    Name,
    ...(Namespace === undefined ? {} : { Namespace }),
    ...(Partition === undefined ? {} : { Partition }),
    Index
  }
  if (!declared) return { change: { ...named, Delete: true } }
  return { ...declared, change: { ...declared.change, ...named } }
}

export const planText = (plan: ChangePlan): string => `${stringify(plan, undefined, 2) ?? ''}\n`

const isPlan = (value: unknown): value is ChangePlan =>
  isObject(value) &&
  value['Version'] === VERSION &&
  typeof value['ID'] === 'string' &&
  Array.isArray(value['Steps'])

/** @throws UsageError */
export const parsePlan = (text: string, path: string): ChangePlan => {
  let value: unknown
  try {
    value = parseExact(text)
  } catch {
    value = undefined
  }
  if (!isPlan(value))
    throw new UsageError(`${path} is no folder, and no plan of this version of annals (annals plan --out)`)
  return value
}
