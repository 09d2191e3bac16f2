// The thread that verifies the records of a source while the main thread applies those before them.
import { parentPort } from 'node:worker_threads'
import { splitRecords } from '../../events/log/split-records.js'
import { verifyRecords } from '../publication/verified-records.js'
import type { RecordAnswer, RecordTask } from './record-verifier.js'

parentPort?.on('message', ({ bytes, from, width, hashes }: RecordTask) => {
  // The sender has split them, and their hashes cover more than checksums.
  const { records } = splitRecords(Buffer.from(bytes.buffer), true)
  const { fault, leaves } = verifyRecords(records, from, { width, hashes: Buffer.from(hashes.buffer) })
  const answer: RecordAnswer = { fault, leaves: new Uint8Array(leaves.buffer) }
  parentPort?.postMessage(answer, [answer.leaves.buffer])
})
