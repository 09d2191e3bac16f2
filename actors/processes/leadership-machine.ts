// The part that a server plays in a cluster: it follows the shared log, and leads when nobody does and it can.
import { assertEvent, fromCallback, fromPromise, setup } from 'xstate'

/** What a look at the cluster showed. */
export interface LeaderObservation {
  /** Who leads. Itself even where it does not know that its candidacy came to that. */
  readonly leader: 'none' | 'itself' | 'another'
  /** Something that is in the shared log has been missing here for a while. */
  readonly isBehind: boolean
  /** Whether nothing but its log keeps this server from leading: its clock is right. */
  readonly isFit: boolean
}

export type LeadershipEvent =
  /** The read models are made of the log. */
  | { readonly type: 'Replayed' }
  | { readonly type: 'Seen'; readonly sight: LeaderObservation }
  /** The log took no more, here or in the cluster. */
  | { readonly type: 'Failed' }
  /** This server is no member any more: its lease was not renewed in time. */
  | { readonly type: 'Lost' }
  /** What is shared contradicts this log. */
  | { readonly type: 'Contradicted' }
  /** Somebody else is to lead. */
  | { readonly type: 'Resigned' }

interface LeadershipActors {
  /** Takes part, and has everything here that was shared when it began. Rejects when that cannot be done now. */
  readonly join: (signal: AbortSignal) => Promise<void>
  /** Keeps this log equal to the shared one, until the signal aborts. Rejects when it never can be again. */
  readonly follow: (signal: AbortSignal) => Promise<unknown>
  /** Looks at the cluster now and then, and reports. Returns how to stop. */
  readonly watch: (report: (sight: LeaderObservation) => void) => () => void
  /** @returns whether this server is the leader from now on */
  readonly campaign: () => Promise<boolean>
  /** Has everything here that leaders before have written, and makes ready to write. */
  readonly catchUp: (signal: AbortSignal) => Promise<void>
  /** Lets others lead, and finds out what became of everything that is not certain. */
  readonly settle: () => Promise<void>
  /** Begins what the leader alone does. */
  readonly lead: () => void
  /** Ends it, at once. */
  readonly cede: () => void
}

interface LeadershipGuards {
  /** Whether a server that is fit may lead: it can write. */
  readonly mayLead: () => boolean
  /** Whether an error says that nothing can go on without an operator. */
  readonly isFinal: (error: unknown) => boolean
}

interface LeadershipDelays {
  /** Milliseconds until what was last seen of the cluster is too old. */
  readonly untilCut: () => number
  /** Milliseconds until the lease is over, unless it is renewed. */
  readonly untilOver: () => number
}

/** How long after it could not take part a server tries again, in milliseconds. */
const RETRY_MS = 500

/** What was missing may have arrived meanwhile, and then proves that the server was in touch later than it seemed. */
const cutOr = <const State extends string>(state: State) =>
  [
    { guard: 'isCut', target: 'cut' },
    { target: state, reenter: true }
  ] as const

/**
 * States: `starting`, `joining` and `rejoining` (not a member yet), `following` (`current`, `lagging`, or `cut` off from the cluster),
 * `campaigning`, `catchingUp` (elected, and not writing yet), `leading`, `steppingDown`, `broken` (final).
 */
export const leadershipMachine = (
  actors: LeadershipActors,
  guards: LeadershipGuards,
  delays: LeadershipDelays
) =>
  setup({
    types: { events: {} as LeadershipEvent },
    actors: {
      join: fromPromise<void>(({ signal }) => actors.join(signal)),
      follow: fromPromise<unknown>(({ signal }) => actors.follow(signal)),
      watch: fromCallback<LeadershipEvent>(({ sendBack }) =>
        actors.watch(sight => sendBack({ type: 'Seen', sight }))
      ),
      campaign: fromPromise(actors.campaign),
      catchUp: fromPromise<void>(({ signal }) => actors.catchUp(signal)),
      settle: fromPromise(actors.settle)
    },
    actions: { lead: () => actors.lead(), cede: () => actors.cede() },
    guards: {
      mayLead: ({ event }) => {
        assertEvent(event, 'Seen')
        return event.sight.leader !== 'another' && event.sight.isFit && guards.mayLead()
      },
      isElected: ({ event }) => {
        assertEvent(event, 'Seen')
        return event.sight.leader === 'itself'
      },
      isBehind: ({ event }) => {
        assertEvent(event, 'Seen')
        return event.sight.isBehind
      },
      mustEnd: ({ event }) => {
        assertEvent(event, 'Seen')
        return event.sight.leader !== 'itself' || !event.sight.isFit
      },
      isCut: () => delays.untilCut() <= 0,
      isOver: () => delays.untilOver() <= 0,
      isFinal: ({ event }) => 'error' in event && guards.isFinal(event.error),
      isWon: ({ event }) => 'output' in event && event.output === true
    },
    delays: { retry: RETRY_MS, untilCut: delays.untilCut, untilOver: delays.untilOver }
  }).createMachine({
    id: 'leadership',
    initial: 'starting',
    states: {
      starting: { on: { Replayed: 'joining' } },
      joining: {
        invoke: {
          src: 'join',
          onDone: 'following',
          onError: [{ guard: 'isFinal', target: 'broken' }, { target: 'rejoining' }]
        }
      },
      rejoining: { after: { retry: 'joining' } },
      following: {
        invoke: [{ src: 'follow', onError: 'broken' }, { src: 'watch' }],
        on: {
          Contradicted: 'broken',
          Seen: [
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
          onError: [{ guard: 'isFinal', target: 'broken' }, { target: 'steppingDown' }]
        },
        on: { Lost: 'steppingDown', Resigned: 'steppingDown' }
      },
      leading: {
        entry: 'lead',
        exit: 'cede',
        invoke: { src: 'watch' },
        on: {
          Contradicted: 'broken',
          Seen: { guard: 'mustEnd', target: 'steppingDown' },
          Failed: 'steppingDown',
          Lost: 'steppingDown',
          Resigned: 'steppingDown'
        },
        initial: 'held',
        states: {
          held: {
            after: {
              untilOver: [
                { guard: 'isOver', target: '#leadership.steppingDown' },
                { target: 'held', reenter: true }
              ]
            }
          }
        }
      },
      steppingDown: {
        invoke: { src: 'settle', onDone: 'following', onError: 'broken' }
      },
      broken: { type: 'final' }
    }
  })
