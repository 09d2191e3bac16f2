import type { LogReader } from '../../../events/log/log.js'
import type { Subscription } from '../../../projections/stream/subscription.js'
import { CatchUpEngine, type EngineOptions, type LogPage } from './engine.js'
import type { CatchUpSource, Piece, PieceRequest, Reading } from './source.js'

type Extent = Pick<PieceRequest, 'to'>

/** Its share always applies, since the thread is always contended. */
export class LocalCatchUp implements CatchUpSource {
  readonly #engine: CatchUpEngine<Extent>

  constructor(log: Pick<LogReader, 'records'>, options: Omit<EngineOptions<Extent>, 'pages'>) {
    this.#engine = new CatchUpEngine({
      ...options,
      pages:
        () =>
        (from, { to }) =>
          firstPage(log, from, to)
    })
  }

  open(subscription: Subscription): Reading {
    const reading = this.#engine.open(subscription)
    return {
      next: async ({ from, to, authorizer, spent }: PieceRequest): Promise<Piece> => ({
        ...(await reading.next({ from, extent: { to }, authorizer }, spent?.buffer)),
        authorizer
      }),
      close: () => reading.close()
    }
  }

  async close(): Promise<void> {}
}

const firstPage = async (log: Pick<LogReader, 'records'>, from: number, to: number): Promise<LogPage> => {
  for await (const records of log.records(from)) return { records, next: (records.at(-1)?.index ?? to) + 1 }
  return { records: [], next: to + 1 }
}
