// The contents of the image of `deploy/docker`.
import { readFileSync } from 'node:fs'

/** The file that the image is made by. */
export const dockerfile = (): string => readFileSync('deploy/docker/Dockerfile', 'utf8')

/** The variables that a container has from its image. */
export const imageEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    [...dockerfile().matchAll(/^ENV (.*)$/gm)]
      .flatMap(([, line = '']) => line.split(' '))
      .map(pair => {
        const at = pair.indexOf('=')
        return [pair.slice(0, at), pair.slice(at + 1)]
      })
  )
