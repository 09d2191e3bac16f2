// The contents of the image of `deploy/docker`.
import { readFileSync } from 'node:fs'

/** The Dockerfile. */
export const dockerfile = (): string => readFileSync('deploy/docker/Dockerfile', 'utf8')

/** Environment variables of containers of the image. */
export const imageEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    [...dockerfile().matchAll(/^ENV (.*)$/gm)]
      .flatMap(([, line = '']) => line.split(' '))
      .map(pair => {
        const at = pair.indexOf('=')
        return [pair.slice(0, at), pair.slice(at + 1)]
      })
  )
