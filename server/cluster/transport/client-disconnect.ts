// Whether anybody still waits for the answer of another server.
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * Calls when nobody waits for an answer any more: the client has left, or the server ends and it is a read.
 * @param response the answer to the client; or its connection, where a WebSocket is to be opened
 * @param closing aborts when the server begins to end
 * @returns how to stop looking
 */
export const onClientDisconnect = (
  response: ServerResponse | Duplex,
  isRead: boolean,
  closing: AbortSignal,
  gone: () => void
): (() => void) => {
  response.once('close', gone)
  if (isRead) closing.addEventListener('abort', gone)
  if (response.destroyed || (isRead && closing.aborted)) gone()
  return () => {
    response.off('close', gone)
    closing.removeEventListener('abort', gone)
  }
}
