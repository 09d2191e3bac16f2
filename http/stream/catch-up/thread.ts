// The program of the catch-up thread.
import { parentPort, workerData } from 'node:worker_threads'
import { serveCatchUp } from './thread-program.js'

// Counts all activity, since reading and transferring pieces costs time beyond the selection.
if (parentPort) serveCatchUp(workerData, parentPort, () => performance.eventLoopUtilization().active)
