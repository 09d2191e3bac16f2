// The worker of the lists: reads streams, and keeps all rows in order, so that the page only draws those in view.
import { failureOf } from '../../session/failure.js'
import type { FromWorker, ToWorker } from './protocol.js'
import { LinesSession, ResourcesSession, type Session } from './worker-sessions.js'

const sessions = new Map<number, Session>()

const post = (message: FromWorker): void => postMessage(message)

const hear = (message: ToWorker): void => {
  const { id } = message
  if ('open' in message) {
    const { asker } = message
    sessions.set(
      id,
      message.open === 'resources'
        ? new ResourcesSession(asker, message.asked, shown => post({ ...shown, id }))
        : new LinesSession(asker, message.asked, shown => post({ ...shown, id }))
    )
    return
  }
  const session = sessions.get(id)
  if (!session) return
  if ('look' in message) session.look(message.look)
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
    hear(data)
  } catch (error) {
    post({ id: data.id, state: { refused: failureOf(error), status: 0 } })
  }
})
