// The thread that verifies an archive.
import 'reflect-metadata'
import { parentPort, workerData } from 'node:worker_threads'
import { serveVerification } from './verification.js'

if (parentPort) void serveVerification(workerData, parentPort)
