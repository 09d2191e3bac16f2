import { ErasureProcess } from '../../actors/erasure/erasure-process.js'
import type { TestServer } from './server.js'
import { until } from './wait.js'

/** Waits until a server has executed all orders. The process is also idle between a failure and its repetition. */
export const allErased = async ({ app, scope }: TestServer): Promise<void> => {
  const work = scope.resolve(ErasureProcess)
  await until('all orders are executed', async () => {
    await work.idle()
    return app.views.erasures.list.every(({ key }) => work.stateOf(key).state === 'done')
  })
}
