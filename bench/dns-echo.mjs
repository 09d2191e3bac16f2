// A UDP echo server, as a baseline.
import { createSocket } from 'node:dgram'
import { serveJobs } from './helper.mjs'

serveJobs(
  () =>
    new Promise(resolve => {
      const socket = createSocket('udp4')
      socket.on('message', (message, peer) => socket.send(message, peer.port, peer.address))
      socket.bind(0, '127.0.0.1', () => resolve(socket.address().port))
    })
)
