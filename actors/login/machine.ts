// The lifecycle of a login that depends on somebody else: it runs until there is an answer, or for as long as
// it may.
import { assign, createActor, fromPromise, setup, type ActorRefFrom } from 'xstate'
import type { Identity } from '../../projections/acl/identity.js'
import { ProviderError } from './provider-http.js'
import { failedProvider } from './provider.js'

/** Asks whoever knows. `signal` aborts when the login has ended without the answer. */
export type Question = (signal: AbortSignal) => Promise<Identity>

interface Input {
  readonly ask: Question
  /** Milliseconds. */
  readonly limit: number
  /** Begins the text of the refusal after that time. */
  readonly failure: string
}

type Context = Input & { readonly identity?: Identity; readonly error?: unknown }

const loginMachine = setup({
  types: { context: {} as Context, input: {} as Input },
  actors: { ask: fromPromise<Identity, Question>(({ input, signal }) => input(signal)) },
  delays: { limit: ({ context }: { readonly context: Context }) => context.limit }
}).createMachine({
  id: 'login',
  context: ({ input }) => input,
  initial: 'asking',
  states: {
    asking: {
      invoke: {
        src: 'ask',
        input: ({ context }: { readonly context: Context }) => context.ask,
        onDone: { target: 'identified', actions: assign({ identity: ({ event }) => event.output }) },
        onError: { target: 'refused', actions: assign({ error: ({ event }) => event.error }) }
      },
      after: {
        limit: {
          target: 'refused',
          actions: assign({
            error: ({ context: { failure, limit } }) =>
              failedProvider(failure, new ProviderError(`the login did not end within ${limit} ms`))
          })
        }
      }
    },
    identified: { type: 'final' },
    refused: { type: 'final' }
  }
})

/** A login under way. */
export type LoginActor = ActorRefFrom<typeof loginMachine>

/**
 * Runs one login to its end. `started` is told of its actor.
 * @throws what the question throws; Refusal `upstream` after the time limit
 */
export const runLogin = (input: Input, started: (login: LoginActor) => void): Promise<Identity> =>
  new Promise((resolve, reject) => {
    const login = createActor(loginMachine, { input })
    login.subscribe(({ context, status }) => {
      if (status !== 'done') return
      if (context.identity) resolve(context.identity)
      else reject(context.error instanceof Error ? context.error : new Error('the login failed'))
    })
    started(login)
    login.start()
  })
