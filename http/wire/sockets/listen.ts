// Listening where the settings say so.
import type { Server } from 'node:net'
import type { Listener } from '../../settings/listeners.js'
import { ListenError } from './listen-error.js'

/** Answers with the port. @throws ListenError */
export const listen = (server: Server, place: Listener): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', error => reject(new ListenError(place, error)))
    server.listen(place.port, place.address, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : place.port)
    })
  })
