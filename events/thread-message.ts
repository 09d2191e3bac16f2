import type { EventEmitter } from 'node:events'

/** Resolves with the next message of a thread. @throws Error if the thread fails or ends first */
export const threadMessage = <Message>(thread: EventEmitter): Promise<Message> =>
  new Promise((resolve, reject) => {
    const settle = (): void => {
      thread.off('message', received)
      thread.off('error', failed)
      thread.off('exit', ended)
    }
    const received = (message: Message): void => {
      settle()
      resolve(message)
    }
    const failed = (error: unknown): void => {
      settle()
      reject(error)
    }
    const ended = (): void => failed(new Error('the thread ended before it answered'))
    thread.on('message', received)
    thread.on('error', failed)
    thread.on('exit', ended)
  })
