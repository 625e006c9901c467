package cheatcode

import (
	"slices"
	"strings"
)

// each makes entries for cheatcodes that share a status and its reason. Each is given
// by its signature and, after a bar, its return types.
func each(to status, note string, signatures ...string) []function {
	table := make([]function, len(signatures))
	for i, s := range signatures {
		signature, returns, _ := strings.Cut(s, "|")
		table[i] = function{Signature: signature, Returns: returns, Status: to, Note: note}
	}
	return table
}

func refuse(note string, signatures ...string) []function {
	return each(refused, note, signatures...)
}

func accept(note string, signatures ...string) []function {
	return each(accepted, note, signatures...)
}

// restTable: the cheatcodes that do nothing here, and those that fail.
var restTable = slices.Concat(
	accept("gas is always counted, and never reported",
		"pauseGasMetering()", "resumeGasMetering()", "resetGasMetering()", "startSnapshotGas(string)", "startSnapshotGas(string,string)",
		"stopSnapshotGas()|uint256", "stopSnapshotGas(string)|uint256", "stopSnapshotGas(string,string)|uint256",
		"snapshotGasLastCall(string)|uint256", "snapshotGasLastCall(string,string)|uint256",
		"snapshotValue(string,uint256)", "snapshotValue(string,string,uint256)"),
	accept("what is warm is what the call itself made warm",
		"cool(address)", "coolSlot(address,bytes32)", "warmSlot(address,bytes32)", "accessList((address,bytes32[])[])", "noAccessList()"),
	accept("there is nothing to see it with",
		"breakpoint(string)", "breakpoint(string,bool)", "pauseTracing()", "resumeTracing()"),
	accept("what is made stays, whichever fork is active", "allowCheatcodes(address)", "makePersistent(address)", "makePersistent(address,address)",
		"makePersistent(address,address,address)", "makePersistent(address[])", "revokePersistent(address)", "revokePersistent(address[])"),
	accept("nothing waits", "sleep(uint256)"),
	accept("nothing is written", "writeFile(string,string)", "writeFileBinary(string,bytes)", "writeLine(string,string)",
		"writeJson(string,string)", "writeJson(string,string,string)", "writeToml(string,string)", "writeToml(string,string,string)",
		"createDir(string,bool)", "removeDir(string,bool)", "removeFile(string)", "copyFile(string,string)|uint64", "dumpState(string)"),
	accept("the text is empty: what it is made for is written, and nothing is", serializers()...),
	refuse("a fork is of a block: give its number", "createFork(string,bytes32)|uint256", "createSelectFork(string,bytes32)|uint256", "rollFork(bytes32)", "rollFork(uint256,bytes32)"),
	refuse("a fork is the state of a chain and nothing else: read it with calls and vm.load",
		"isPersistent(address)|bool", "rpc(string,string)|bytes", "rpc(string,string,string)|bytes", "rpcUrls()|string[2][]",
		"rpcUrlStructs()|(string,string)[]", "transact(bytes32)", "transact(uint256,bytes32)",
		"eth_getLogs(uint256,uint256,address,bytes32[])|(address,bytes32[],bytes,bytes32,uint64,bytes32,uint64,uint256,bool)[]",
		"getChain(string)|(string,uint256,string,string)", "getChain(uint256)|(string,uint256,string,string)", "getRawBlockHeader(uint256)|bytes"),
	refuse("contracts run no programs: make what the program makes beforehand, and read it with vm.readFile",
		"ffi(string[])|bytes", "tryFfi(string[])|(int32,bytes,bytes)"),
	refuse("Sightline is not interactive", "prompt(string)|string", "promptSecret(string)|string", "promptUint(string)|uint256",
		"promptSecretUint(string)|uint256", "promptAddress(string)|address"),
	refuse("folders are not listed: read files by their names", "isDir(string)|bool", "readDir(string)|(string,string,uint64,bool,bool)[]",
		"readDir(string,uint64)|(string,string,uint64,bool,bool)[]", "readDir(string,uint64,bool)|(string,string,uint64,bool,bool)[]",
		"readLink(string)|string", "fsMetadata(string)|(bool,bool,uint256,bool,uint256,uint256,uint256)", "currentFilePath()|string"),
	refuse("what calls changed is not recorded: use vm.record and vm.recordLogs",
		"startStateDiffRecording()", "stopAndReturnStateDiff()|((uint256,uint256),uint8,address,address,bool,uint256,uint256,bytes,uint256,bytes,bool,(address,bytes32,bool,bytes32,bytes32,bool)[],uint64,uint64,uint64)[]",
		"getStateDiff()|string", "getStateDiffJson()|string", "getStorageAccesses()|(address,bytes32,bool,bytes32,bytes32,bool)[]",
		"getRecordedLogsJson()|string", "startDebugTraceRecording()", "stopAndReturnDebugTraceRecording()|(uint256[],bytes,uint8,uint64,bool,address)[]",
		"lastCallGas()|(uint64,uint64,uint64,int64,uint64)", "interceptInitcode()"),
	refuse("hashes are not recorded: compute the slots with keccak256",
		"startMappingRecording()", "stopMappingRecording()", "getMappingLength(address,bytes32)|uint256",
		"getMappingSlotAt(address,bytes32,uint256)|bytes32", "getMappingKeyAndParentOf(address,bytes32)|bool,bytes32,bytes32"),
	refuse("storage is read and written word by word: use vm.load and vm.store",
		"copyStorage(address,address)", "cloneAccount(address,address)", "setArbitraryStorage(address)", "setArbitraryStorage(address,bool)",
		"loadAllocs(string)", "getStorageSlots(address,string)|uint256[]"),
	refuse("use vm.mockCall, or vm.etch a contract that answers", "mockFunction(address,address,bytes)"),
	refuse("calls have no blobs", "blobhashes(bytes32[])", "getBlobhashes()|bytes32[]", "attachBlob(bytes)"),
	refuse("the EVM's version is that of the build: set evm_version", "setEvmVersion(string)", "getEvmVersion()|string"),
	refuse("only calls are run: make the call itself, with vm.prank", "executeTransaction(bytes)|bytes"),
	refuse("earlier deployments are not read: deploy in setUp()",
		"getBroadcast(string,uint64,uint8)|(bytes32,uint8,address,uint64,bool)", "getBroadcasts(string,uint64,uint8)|(bytes32,uint8,address,uint64,bool)[]",
		"getBroadcasts(string,uint64)|(bytes32,uint8,address,uint64,bool)[]", "getDeployment(string)|address", "getDeployment(string,uint64)|address",
		"getDeployments(string,uint64)|address[]"),
	refuse("artifacts are found by name, not by code", "getArtifactPathByCode(bytes)|string", "getArtifactPathByDeployedCode(bytes)|string"),
	refuse("compute it with keccak256 and abi.encode", "eip712HashType(string)|bytes32", "eip712HashType(string,string)|bytes32",
		"eip712HashStruct(string,bytes)|bytes32", "eip712HashStruct(string,string,bytes)|bytes32", "eip712HashTypedData(string)|bytes32"),
	refuse("contracts are given no environment", "resolveEnv(string)|string"),
)

// serializers are the cheatcodes that write JSON.
func serializers() []string {
	all := []string{"serializeJson(string,string)|string", "serializeJsonType(string,bytes)|string",
		"serializeJsonType(string,string,string,bytes)|string", "serializeUintToHex(string,string,uint256)|string"}
	for _, t := range [][2]string{{"Bool", "bool"}, {"Uint", "uint256"}, {"Int", "int256"}, {"Address", "address"}, {"Bytes32", "bytes32"}, {"String", "string"}, {"Bytes", "bytes"}} {
		all = append(all, "serialize"+t[0]+"(string,string,"+t[1]+")|string", "serialize"+t[0]+"(string,string,"+t[1]+"[])|string")
	}
	return all
}
