// The program of the thread that compares rights.
import { parentPort } from 'node:worker_threads'
import { serveImpacts } from './thread-program.js'

if (parentPort) serveImpacts(parentPort)
