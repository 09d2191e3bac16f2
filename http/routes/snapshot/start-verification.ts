import type { EventEmitter } from 'node:events'
import { getHeapStatistics } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { programFile } from '../../../events/program-files.js'
import type { VerificationQuery, VerificationTask } from './verification-messages.js'

const MEBIBYTE = 1024 * 1024

export interface VerificationThread extends EventEmitter {
  postMessage(query: VerificationQuery): void
  terminate(): Promise<unknown>
}

/** Starts the thread that verifies an archive. */
export const startVerification = (task: VerificationTask): VerificationThread =>
  new Worker(programFile('verification'), {
    workerData: task,
    // The state must fit into the memory of this server as well.
    resourceLimits: { maxOldGenerationSizeMb: getHeapStatistics().heap_size_limit / MEBIBYTE }
  })
