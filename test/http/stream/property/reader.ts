// A reader that records its messages, disconnects and resumes after the last one, throughout the run.
import type { Line } from '../../../support/stream.js'
import { connect, type Connection } from './connection.js'
import type { Choice, ReaderPlan } from './plan.js'
import type { World } from './world.js'

/** A message or progress report. */
export interface Noted {
  readonly index: number
  /** The line; undefined for a progress report. */
  readonly line: string | undefined
  /** Number of changes of permissions requested by then. */
  readonly asked: number
}

/** A complete snapshot. */
export interface NotedSnapshot {
  readonly lines: readonly Noted[]
  readonly at: number
  readonly asked: number
}

const textOf = ({ topic, key }: Choice): string => (key === undefined ? topic : `${topic}:${key}`)

export class Reader {
  readonly notes: Noted[] = []
  /** The index after which the record begins. */
  begin: number | undefined
  snapshot: NotedSnapshot | undefined
  /** A protocol violation, if any. */
  fault: Error | undefined
  #pieces: Noted[] = []
  #goal = Infinity
  #connection: Connection | undefined

  constructor(
    private readonly world: World,
    readonly plan: ReaderPlan
  ) {}

  /** Resolves when it has reached its goal. */
  async run(): Promise<void> {
    while (!this.#isDone()) {
      const changed = this.world.changed()
      const base = await this.world.base()
      const status = await this.#read(base)
      if (status === 403 && !this.#isDone()) await changed
      else if (status !== undefined && status !== 200 && status !== 403)
        this.fault ??= new Error(`a stream was answered ${status}`)
    }
  }

  breakOff(): void {
    this.#connection?.breakOff()
  }

  /** The reader ends when everything up to this index was reported. */
  finish(goal: number): void {
    this.#goal = goal
    this.breakOff()
  }

  get #position(): number | undefined {
    return this.notes.at(-1)?.index ?? this.begin
  }

  #isDone(): boolean {
    return this.fault !== undefined || (this.#position ?? -1) >= this.#goal
  }

  #query(): string {
    const { start, limit, choices } = this.plan
    const query = choices.map(choice => `topic=${textOf(choice)}`)
    const position = this.#position
    if (position !== undefined) query.push(`after=${position}`)
    else query.push(start === 'snapshot' ? 'snapshot=true' : `index=${start}`)
    if (limit !== undefined) query.push(`limit=${limit}`)
    return [...query, 'progress=true'].join('&')
  }

  /** @returns the status of the response; undefined without one */
  #read(base: string): Promise<number | undefined> {
    this.#pieces = []
    const token = this.world.secretOf(this.plan.isLimited)
    return new Promise(resolve => {
      this.#connection = connect({ base, query: this.#query(), token }, this.plan.wire, {
        onLine: text => {
          try {
            this.#take(text)
          } catch (error) {
            this.fault ??= error instanceof Error ? error : new Error(String(error))
          }
          if (this.#isDone()) this.breakOff()
        },
        onEnd: resolve
      })
    })
  }

  #take(text: string): void {
    const line: Line = JSON.parse(text)
    const { asked } = this.world
    if (line.Snapshot) {
      if (this.snapshot) throw new Error('a second snapshot has come to its end')
      this.begin = line.Index ?? 0
      this.snapshot = { lines: this.#pieces, at: this.begin, asked }
    } else if (line.Index) this.#message({ index: line.Index, line: text, asked })
    else if (line.LastIndex !== undefined) this.#noteProgress(line.LastIndex, asked)
  }

  #message(noted: Noted): void {
    const position = this.#position
    if (position === undefined) {
      if (this.plan.start !== 'snapshot') throw new Error('a message before the stream said where it starts')
      this.#pieces.push(noted)
      return
    }
    if (noted.index <= position) throw new Error(`message ${noted.index} after everything up to ${position}`)
    this.notes.push(noted)
  }

  #noteProgress(index: number, asked: number): void {
    const position = this.#position
    // An interrupted snapshot is not complete.
    if (position === undefined && this.plan.start === 'snapshot') {
      if (index !== 0) throw new Error(`a snapshot that has not ended tells of everything up to ${index}`)
    } else if (position === undefined) this.begin = index
    else if (index < position) throw new Error(`progress ${index} after everything up to ${position}`)
    else this.notes.push({ index, line: undefined, asked })
  }
}
