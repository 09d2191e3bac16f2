import { fromCallback, fromPromise, setup } from 'xstate'

export interface LeaderObservation {
  /** The leader. `itself` also when the result of its own campaign did not reach it. */
  readonly leader: 'none' | 'itself' | 'another'
  /** True when a commit of the shared log has been missing for a while. */
  readonly isBehind: boolean
  /** True unless a condition other than its log prevents this server from leading, such as a wrong clock. */
  readonly isFit: boolean
}

export type LeadershipEvent =
  | { readonly type: 'Replayed' }
  | { readonly type: 'Observed'; readonly observation: LeaderObservation }
  /** The log of this server or of the cluster failed. */
  | { readonly type: 'Failed' }
  /** The lease was not renewed in time, so this server is no longer a member. */
  | { readonly type: 'Lost' }
  /** The shared log contradicts this log. */
  | { readonly type: 'Contradicted' }
  | { readonly type: 'Resigned' }

interface LeadershipActors {
  /** Joins the cluster and catches up to its state at the start. Rejects when that is impossible now. */
  readonly join: (signal: AbortSignal) => Promise<void>
  /** Follows the shared log until the signal aborts. Rejects when that has become impossible. */
  readonly follow: (signal: AbortSignal) => Promise<unknown>
  /** Reports observations of the cluster. Returns a function that stops it. */
  readonly watch: (report: (observation: LeaderObservation) => void) => () => void
  readonly campaign: () => Promise<boolean>
  /** Catches up with all earlier leaders and prepares to write. */
  readonly catchUp: (signal: AbortSignal) => Promise<void>
  /** Resigns and resolves when the outcome of all writes is known. */
  readonly settle: () => Promise<void>
  readonly lead: () => void
  readonly cede: () => void
}

interface LeadershipGuards {
  /** True when a fit server may lead: it can write. */
  readonly mayLead: () => boolean
  readonly isFinal: (error: unknown) => boolean
}

interface LeadershipDelays {
  /** Milliseconds until the last observation is stale. */
  readonly untilCut: () => number
  /** Milliseconds until the lease ends, unless it is renewed. */
  readonly untilOver: () => number
}

const RETRY_MS = 500

/** A missing commit may arrive later and prove that the contact is more recent than it seemed. */
const cutOr = <const State extends string>(state: State) =>
  [
    { guard: 'isCut', target: 'cut' },
    { target: state, reenter: true }
  ] as const

const brokenOr = <const State extends string>(state: State) =>
  [{ guard: 'isFinal', target: 'broken' }, { target: state }] as const

const OVER_OR_HELD = [
  { guard: 'isOver', target: '#leadership.steppingDown' },
  { target: 'held', reenter: true }
] as const

const observed =
  (accepts: (observation: LeaderObservation) => boolean) =>
  ({ event }: { readonly event: LeadershipEvent }): boolean =>
    event.type === 'Observed' && accepts(event.observation)

const leadershipSetup = (actors: LeadershipActors, guards: LeadershipGuards, delays: LeadershipDelays) =>
  setup({
    types: { events: {} as LeadershipEvent },
    actors: {
      join: fromPromise<void>(({ signal }) => actors.join(signal)),
      follow: fromPromise<unknown>(({ signal }) => actors.follow(signal)),
      watch: fromCallback<LeadershipEvent>(({ sendBack }) =>
        actors.watch(observation => sendBack({ type: 'Observed', observation }))
      ),
      campaign: fromPromise(actors.campaign),
      catchUp: fromPromise<void>(({ signal }) => actors.catchUp(signal)),
      settle: fromPromise(actors.settle)
    },
    actions: { lead: () => actors.lead(), cede: () => actors.cede() },
    guards: {
      mayLead: observed(({ leader, isFit }) => leader !== 'another' && isFit && guards.mayLead()),
      isElected: observed(({ leader }) => leader === 'itself'),
      isBehind: observed(({ isBehind }) => isBehind),
      mustEnd: observed(({ leader, isFit }) => leader !== 'itself' || !isFit),
      isCut: () => delays.untilCut() <= 0,
      isOver: () => delays.untilOver() <= 0,
      isFinal: ({ event }) => 'error' in event && guards.isFinal(event.error),
      isWon: ({ event }) => 'output' in event && event.output === true
    },
    delays: { retry: RETRY_MS, untilCut: delays.untilCut, untilOver: delays.untilOver }
  })

/**
 * States: `starting`, `joining` and `rejoining` (not a member yet), `following` (`current`, `lagging`, or `cut` off from the cluster), `campaigning`,
 * `catchingUp` (elected, but not writing yet), `leading`, `steppingDown`, `broken` (final).
 */
export const leadershipMachine = (
  actors: LeadershipActors,
  guards: LeadershipGuards,
  delays: LeadershipDelays
) =>
  leadershipSetup(actors, guards, delays).createMachine({
    id: 'leadership',
    initial: 'starting',
    states: {
      starting: { on: { Replayed: 'joining' } },
      joining: { invoke: { src: 'join', onDone: 'following', onError: brokenOr('rejoining') } },
      rejoining: { after: { retry: 'joining' } },
      following: {
        invoke: [{ src: 'follow', onError: 'broken' }, { src: 'watch' }],
        on: {
          Contradicted: 'broken',
          Observed: [
            { guard: 'mayLead', target: 'campaigning' },
            { guard: 'isElected', target: 'steppingDown' },
            { guard: 'isCut', target: '.cut' },
            { guard: 'isBehind', target: '.lagging' },
            { target: '.current' }
          ]
        },
        initial: 'current',
        states: {
          current: { after: { untilCut: cutOr('current') } },
          lagging: { after: { untilCut: cutOr('lagging') } },
          cut: {}
        }
      },
      campaigning: {
        invoke: {
          src: 'campaign',
          onDone: [{ guard: 'isWon', target: 'catchingUp' }, { target: 'following' }],
          onError: 'following'
        }
      },
      catchingUp: {
        invoke: {
          src: 'catchUp',
          onDone: 'leading',
          onError: brokenOr('steppingDown')
        },
        on: { Lost: 'steppingDown', Resigned: 'steppingDown' }
      },
      leading: {
        entry: 'lead',
        exit: 'cede',
        invoke: { src: 'watch' },
        on: {
          Contradicted: 'broken',
          Observed: { guard: 'mustEnd', target: 'steppingDown' },
          Failed: 'steppingDown',
          Lost: 'steppingDown',
          Resigned: 'steppingDown'
        },
        initial: 'held',
        states: {
          held: { after: { untilOver: OVER_OR_HELD } }
        }
      },
      steppingDown: { invoke: { src: 'settle', onDone: 'following', onError: 'broken' } },
      broken: { type: 'final' }
    }
  })
