// The list worker: reads streams and maintains sorted rows, so that the page renders only the visible ones.
import { messageOf } from '../../../../events/errors.js'
import type { FromWorker, ToWorker } from './protocol.js'
import { ResourcesSession } from './resources-session.js'
import { LinesSession, type Session } from './worker-sessions.js'

const sessions = new Map<number, Session>()

const post = (message: FromWorker): void => postMessage(message)

const onMessage = (message: ToWorker): void => {
  const { id } = message
  if ('open' in message) {
    sessions.set(
      id,
      message.open === 'resources'
        ? new ResourcesSession(message.clientInfo, message.request, shown => post({ ...shown, id }))
        : new LinesSession(message.clientInfo, message.request, shown => post({ ...shown, id }))
    )
    return
  }
  const session = sessions.get(id)
  if (!session) return
  if ('viewport' in message) session.setViewport(message.viewport)
  else if ('span' in message) session.see(message.span)
  else if ('hold' in message) session.hold(message.hold)
  else if ('more' in message) session.more()
  else if ('facts' in message) session.askFacts()
  else if ('retry' in message) session.retry(message.retry.isGivenUp)
  else {
    session.close()
    sessions.delete(id)
  }
}

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  try {
    onMessage(data)
  } catch (error) {
    post({ id: data.id, state: { refused: messageOf(error), status: 0 } })
  }
})
