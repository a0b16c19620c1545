import{a as o}from"./part-RRO62D3Q.js";var r=t=>o("record.list","records",t);export{r as a};
