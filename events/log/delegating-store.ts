import type { CommitErasure } from '../erasure.js'
import type { RecordGroup } from './record-group.js'
import type { PrunableSegment, WriteAdmission } from './log.js'
import type { StoredRecord } from './record.js'
import type { Head, RecordStore } from './store.js'

/** Passes on everything to an engine that can be written. */
export abstract class DelegatingStore implements RecordStore {
  constructor(protected readonly own: RecordStore) {}

  get head(): Head {
    return this.own.head
  }

  get start(): Head {
    return this.own.start
  }

  abstract write(group: RecordGroup): Promise<void>

  receive(group: RecordGroup): Promise<void> {
    return this.own.receive?.(group) ?? this.own.write(group)
  }

  page(from: number, to: number): Promise<readonly StoredRecord[]> {
    return this.own.page(from, to)
  }

  prunableSegments(): Promise<readonly PrunableSegment[]> {
    return this.own.prunableSegments()
  }

  prune(upTo: number): Promise<void> {
    return this.own.prune(upTo)
  }

  erase(parts: readonly CommitErasure[]): Promise<number> {
    return this.own.erase(parts)
  }

  nextOf(topics: readonly string[], from: number): Promise<number> {
    return this.own.nextOf?.(topics, from) ?? Promise.resolve(from)
  }

  candidates(hash: number, from: number): AsyncIterable<number> {
    return this.own.candidates(hash, from)
  }

  candidatesBack(hash: number, from: number): AsyncIterable<number> {
    return this.own.candidatesBack(hash, from)
  }

  reopen(): Promise<Exclude<WriteAdmission, 'none'>> {
    return this.own.reopen()
  }

  close(): Promise<void> {
    return this.own.close()
  }
}
