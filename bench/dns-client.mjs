// Sends a UDP message repeatedly, with limited concurrency, and counts the responses of some seconds.
import { createSocket } from 'node:dgram'
import { serveJobs } from './helper.mjs'

/** Timeout after which questions are sent again, since UDP may lose them. */
const RESEND_MS = 100

serveJobs(async ({ port, message, inFlight, seconds }) => {
  const bytes = Buffer.from(message, 'base64')
  const socket = createSocket('udp4')
  let answers = 0
  let before = 0
  const send = () => socket.send(bytes, port, '127.0.0.1')
  socket.on('message', () => {
    answers++
    send()
  })
  await new Promise(resolve => socket.bind(0, '127.0.0.1', resolve))
  for (let i = 0; i < inFlight; i++) send()
  const timer = setInterval(() => {
    if (answers === before) for (let i = 0; i < inFlight; i++) send()
    before = answers
  }, RESEND_MS)
  const started = performance.now()
  await new Promise(resolve => setTimeout(resolve, seconds * 1000))
  const rate = (answers * 1000) / (performance.now() - started)
  clearInterval(timer)
  socket.close()
  return { rate }
})
