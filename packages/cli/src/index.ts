export { Argument, InvalidArgumentError, Option } from '@commander-js/extra-typings';
export { aPath, newCommand, positiveNumber, readCommandLine, wholeNumber } from './command-line.ts';
export { UsageError } from './errors.ts';
export { excerpt } from './excerpt.ts';
export { type CommandOptions, runCommand } from './run-command.ts';
