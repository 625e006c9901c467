// Package gitrepo is the one place that runs git. It reads a checkout through a private
// git directory of its own, which has copies of the checkout's refs and borrows its objects,
// so that nothing in the checkout's configuration applies: it was written by other steps of
// a job, some of which ran a pull request's code. What decides a verdict is read as objects
// whose contents are checked against their ids (see [Repository.Read]).
package gitrepo
